import JSON

/// Writing a table as RFC 4180 has it: lines end with CR LF, and what holds a comma, a quote or a line's end stands
/// in quotes.
extension ByteBuffer {
  /// Appends a line.
  func append(csvRecord fields: [String]) {
    for (index, field) in fields.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      append(csvField: field)
    }
    // A line with nothing on it would be none.
    if fields == [""] { append("\"\"" as StaticString) }
    append("\r\n" as StaticString)
  }

  /// Appends a field.
  public func append(csvField text: String) {
    var text = text
    text.withUTF8 { bytes in
      let isQuoted =
        bytes.contains {
          $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\r")
            || $0 == UInt8(ascii: "\n")
        } || bytes.first == UInt8(ascii: " ") || bytes.last == UInt8(ascii: " ")
      guard isQuoted else { return append(UnsafeRawBufferPointer(bytes)) }
      append(UInt8(ascii: "\""))
      for byte in bytes {
        if byte == UInt8(ascii: "\"") { append(byte) }
        append(byte)
      }
      append(UInt8(ascii: "\""))
    }
  }
}

/// Spreadsheets take a field that begins with `=`, `+`, `-` or `@` for a formula and run it, whoever wrote it
/// (https://owasp.org/www-community/attacks/CSV_Injection). What an app's user typed is data: an apostrophe before
/// it says so.
///
/// Whether a text begins so is asked behind white space and apostrophes, and one that does gets one more apostrophe:
/// then taking one away where it begins so, and with an apostrophe, gives back every text that there is.
public enum Formula {
  /// The text as a spreadsheet shows it without running it.
  public static func defused(_ text: String) -> String {
    isFormula(text.unicodeScalars[...]) ? "'" + text : text
  }

  /// The text that `defused` made this of. A text of another hand loses the apostrophe where one was put before a
  /// formula.
  public static func restored(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard scalars.first == "'", isFormula(scalars.dropFirst()) else { return text }
    return String(scalars.dropFirst())
  }

  private static func isFormula(_ text: Substring.UnicodeScalarView) -> Bool {
    for scalar in text {
      switch scalar {
      // Tabs and line ends are dangerous themselves: some programs split there, whatever the quotes say.
      case "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": return true
      case "'": continue
      default: if !scalar.properties.isWhitespace { return false }
      }
    }
    return false
  }
}
