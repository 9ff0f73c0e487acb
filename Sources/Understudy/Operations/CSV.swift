/// A table in comma-separated values (RFC 4180) whose first line names the columns, in letters of either case and with
/// white space around them. What spreadsheets make of it elsewhere is read too: semicolons or tabs in the place of the
/// commas, where the first line has them and no comma; LF or CR alone at the ends of lines; a byte order mark.
struct CSV {
  /// What is wrong, and in which line, counted from 1.
  struct Malformed: Error, Equatable {
    let line: Int
    let reason: String
  }

  /// A row, its fields found by their column's name.
  struct Row {
    let line: Int
    private let columns: [String: Int]
    let fields: [String]

    fileprivate init(line: Int, columns: [String: Int], fields: [String]) {
      self.line = line
      self.columns = columns
      self.fields = fields
    }

    /// The field of a column; nil where there is no such column.
    subscript(column: String) -> String? { columns[column].map { fields[$0] } }

    func text(_ column: String) throws(Malformed) -> String {
      guard let text = self[column] else {
        throw Malformed(line: 1, reason: "there is no column '\(column)'")
      }
      return text
    }

    func wholeNumber(_ column: String) throws(Malformed) -> Int64 {
      let text = try text(column)
      guard let number = Int64(text) else {
        throw Malformed(line: line, reason: "'\(text)' in column '\(column)' is not a whole number")
      }
      return number
    }
  }

  /// The names of the columns, in their order and in small letters.
  let columns: [String]
  /// The rows that can be read.
  let rows: [Row]
  /// What keeps others from being read, in the order of their lines.
  let mistakes: [Malformed]

  /// Reads a table without a mistake in it.
  init(_ text: String) throws(Malformed) {
    try self.init(collectingMistakesIn: Array(text.utf8))
    if let first = mistakes.first { throw first }
  }

  /// Reads what can be read of a table.
  ///
  /// - Throws: `Malformed` where not even the names of the columns can.
  init(collectingMistakesIn bytes: [UInt8]) throws(Malformed) {
    if let reason = Self.otherKind(bytes) { throw Malformed(line: 1, reason: reason) }
    if let line = Self.lineOfWrongUTF8(bytes) {
      throw Malformed(line: line, reason: "not UTF-8: save the file as 'CSV UTF-8'")
    }
    var reader = RecordReader(bytes)
    guard let header = try reader.next()?.fields.map({ $0.trimmed.lowercased() }) else {
      throw Malformed(line: 1, reason: "there is no line that names the columns")
    }
    let columns = Dictionary(zip(header, header.indices), uniquingKeysWith: { first, _ in first })
    guard columns.count == header.count else {
      throw Malformed(line: 1, reason: "two columns have the same name")
    }
    var rows: [Row] = []
    var mistakes: [Malformed] = []
    do throws(Malformed) {
      while let (line, fields) = try reader.next() {
        if fields.count == header.count {
          rows.append(Row(line: line, columns: columns, fields: fields))
        } else {
          mistakes.append(
            Malformed(line: line, reason: "\(fields.count) fields where \(header.count) are expected"))
        }
      }
    } catch {
      // Behind a quote out of place nobody knows where a row begins.
      mistakes.append(error)
    }
    self.columns = header
    self.rows = rows
    self.mistakes = mistakes
  }

  /// What the bytes are where they are what else a spreadsheet saves; nil where they may be CSV.
  private static func otherKind(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: Array("PK\u{3}\u{4}".utf8)) || bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
      return "a workbook, and no CSV: save the table as 'CSV UTF-8'"
    }
    let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    // ASCII in UTF-16 has a zero in each of its pairs.
    return isUTF16 || bytes.prefix(2).contains(0)
      ? "UTF-16, as 'Unicode Text' is, and not UTF-8: save the file as 'CSV UTF-8'" : nil
  }

  private static func lineOfWrongUTF8(_ bytes: [UInt8]) -> Int? {
    if String(validating: bytes, as: UTF8.self) != nil { return nil }
    let end = bytes.contains(UInt8(ascii: "\n")) ? UInt8(ascii: "\n") : UInt8(ascii: "\r")
    let lines = bytes.split(separator: end, omittingEmptySubsequences: false)
    return lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
  }
}

extension String {
  /// Without the white space at both ends that spreadsheets leave unseen.
  var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

/// Reads a table's lines one record after the other.
private struct RecordReader {
  private let bytes: [UInt8]
  /// What stands between two fields.
  private let separator: UInt8
  private var position = 0
  private var line = 1

  /// - Parameter bytes: UTF-8.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    separator = Self.separator(in: bytes[position...])
  }

  /// What separates the fields of the first line: a comma, where it has one outside quotes or nothing else that might.
  private static func separator(in bytes: ArraySlice<UInt8>) -> UInt8 {
    var isQuoted = false
    var counts: [UInt8: Int] = [:]
    for byte in bytes.drop(while: { isEnd($0) }) {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if isQuoted { continue }
      if isEnd(byte) { break }
      counts[byte, default: 0] += 1
    }
    let (comma, semicolon, tab) = (UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"))
    let (semicolons, tabs) = (counts[semicolon, default: 0], counts[tab, default: 0])
    guard counts[comma] == nil, semicolons + tabs > 0 else { return comma }
    return semicolons >= tabs ? semicolon : tab
  }

  private static func isEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private var isAtLineEnd: Bool { current.map(Self.isEnd) ?? false }

  /// Whether CR LF begins here.
  private var isAtPair: Bool {
    current == UInt8(ascii: "\r") && position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "\n")
  }

  private mutating func skipLineEnd() {
    position += isAtPair ? 2 : 1
    line += 1
  }

  /// The next record and the line that it begins in; nil at the end.
  mutating func next() throws(CSV.Malformed) -> (line: Int, fields: [String])? {
    // A line with nothing on it is none; one with an empty field in quotes is.
    while current != nil, isAtLineEnd { skipLineEnd() }
    guard current != nil else { return nil }
    let start = line
    var fields: [String] = []
    while true {
      fields.append(current == UInt8(ascii: "\"") ? try quotedField() : try plainField())
      guard current != nil else { return (start, fields) }
      if isAtLineEnd {
        skipLineEnd()
        return (start, fields)
      }
      // A separator.
      position += 1
    }
  }

  private mutating func plainField() throws(CSV.Malformed) -> String {
    let start = position
    while let byte = current, byte != separator, !isAtLineEnd {
      guard byte != UInt8(ascii: "\"") else {
        throw CSV.Malformed(line: line, reason: "a quote inside a field that doesn't begin with one")
      }
      position += 1
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func quotedField() throws(CSV.Malformed) -> String {
    let firstLine = line
    var text: [UInt8] = []
    position += 1
    var start = position
    while let byte = current {
      // Of CR LF the second counts.
      if Self.isEnd(byte), !isAtPair { line += 1 }
      position += 1
      guard byte == UInt8(ascii: "\"") else { continue }
      guard current == UInt8(ascii: "\"") else {
        text += bytes[start..<position - 1]
        guard current == nil || current == separator || isAtLineEnd else {
          throw CSV.Malformed(line: line, reason: "text behind a closing quote")
        }
        return String(decoding: text, as: UTF8.self)
      }
      // Two quotes stand for one.
      text += bytes[start..<position]
      position += 1
      start = position
    }
    throw CSV.Malformed(line: firstLine, reason: "a quote is opened and never closed")
  }
}
