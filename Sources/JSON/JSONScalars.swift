/// Literals, numbers and strings.
extension JSONReader {
  mutating func skipLiteral(_ literal: StaticString) throws(JSONError) {
    for offset in 0..<literal.utf8CodeUnitCount {
      guard next == literal.utf8Start[offset] else { throw error("expected a value") }
      position += 1
    }
  }

  private mutating func skipDigits() throws(JSONError) {
    let start = position
    while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
    guard position > start else { throw error("expected a digit") }
  }

  mutating func skipNumber() throws(JSONError) {
    let start = position
    if next == UInt8(ascii: "-") { position += 1 }
    guard let first = next, first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9") else {
      throw error(position > start ? "expected a digit" : "expected a value")
    }
    if first == UInt8(ascii: "0") { position += 1 } else { try skipDigits() }
    if next == UInt8(ascii: ".") {
      position += 1
      try skipDigits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      try skipDigits()
    }
  }

  /// Moves past a string whose text isn't needed, checking it like one that is.
  mutating func skipString() throws(JSONError) {
    _ = try scanString { _ in }
  }

  mutating func readString() throws(JSONError) -> String {
    let start = position + 1
    // Most strings have no escape: they are their bytes.
    let plain = try scanString { _ in }
    if plain { return String(decoding: bytes[start..<position - 1], as: UTF8.self) }
    position = start - 1
    var resolved: [UInt8] = []
    _ = try scanString { resolved.append(contentsOf: $0) }
    return String(decoding: resolved, as: UTF8.self)
  }

  /// Checks the string that starts here, giving its text to `take` in pieces.
  ///
  /// - Returns: whether it holds no escape.
  private mutating func scanString(_ take: (ArraySlice<UInt8>) -> Void) throws(JSONError) -> Bool {
    position += 1
    var isPlain = true
    var runStart = position
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        take(bytes[runStart..<position])
        position += 1
        return isPlain
      case UInt8(ascii: "\\"):
        take(bytes[runStart..<position])
        isPlain = false
        position += 1
        let scalar = try scanEscape()
        take(ArraySlice(Array(String(Character(scalar)).utf8)))
        runStart = position
      case 0..<0x20:
        throw error("a control character in a string has to be written as an escape")
      case 0x20..<0x80:
        position += 1
      default:
        try skipScalar(byte)
      }
    }
    throw error("the document ends inside a string")
  }

  /// Moves past one scalar of more than one byte (Unicode 15, table 3-7: well-formed UTF-8).
  private mutating func skipScalar(_ lead: UInt8) throws(JSONError) {
    let second: ClosedRange<UInt8>
    let length: Int
    switch lead {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: throw error("not UTF-8")
    }
    guard position + length <= bytes.count, second.contains(bytes[position + 1]) else {
      throw error("not UTF-8")
    }
    for offset in 2..<max(length, 2) where !(0x80...0xBF).contains(bytes[position + offset]) {
      throw error("not UTF-8")
    }
    position += length
  }

  /// Reads what follows a backslash.
  private mutating func scanEscape() throws(JSONError) -> UnicodeScalar {
    guard let byte = next else { throw error("the document ends inside a string") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UnicodeScalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default:
      position -= 1
      throw error("not an escape that JSON knows")
    }
    let unit = try scanCodeUnit()
    if let scalar = UnicodeScalar(unit) { return scalar }
    guard unit < 0xDC00, next == UInt8(ascii: "\\"), position + 1 < bytes.count,
      bytes[position + 1] == UInt8(ascii: "u")
    else { throw error("a surrogate without its other half") }
    position += 2
    let low = try scanCodeUnit()
    guard (0xDC00...0xDFFF).contains(low),
      let scalar = UnicodeScalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
    else { throw error("a surrogate without its other half") }
    return scalar
  }

  private mutating func scanCodeUnit() throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
        throw error("expected four hexadecimal digits after \\u")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}
