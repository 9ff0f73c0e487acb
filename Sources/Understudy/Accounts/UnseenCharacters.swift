extension Unicode.Scalar {
  /// Whether it is a character that isn't seen, or that changes how those around it are shown: a control character, a
  /// line's end, a mark or an override of the direction (UAX #9), a space without width. The joiners of Persian and of
  /// emoji and the tags of flags are part of what is seen.
  public var isUnseen: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    case .format:
      switch value {
      case 0x200C, 0x200D, 0xE0020...0xE007F: return false
      case 0xFFF9...0xFFFB: return true
      default: return properties.isDefaultIgnorableCodePoint
      }
    default: return false
    }
  }

  /// Whether it leaves no ink.
  fileprivate var isBlank: Bool {
    properties.isWhitespace || properties.isDefaultIgnorableCodePoint || isUnseen || value == 0x2800
  }

  /// `U+202E`
  fileprivate var number: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension String {
  /// Why a text is no name for a user that somebody is to type; nil where it is one. What an app's own sign-up takes
  /// is no business of this.
  var defectAsName: String? {
    if unicodeScalars.allSatisfy(\.isBlank) { return "it is blank" }
    guard let unseen = unicodeScalars.first(where: \.isUnseen) else { return nil }
    return "it has a character in it that nobody sees (\(unseen.number))"
  }
}
