/// A table in comma-separated values (RFC 4180) whose first line names the columns. Lines may end
/// with LF too, and a byte order mark is skipped.
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

  /// The names of the columns, in their order.
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
    if let line = Self.lineOfWrongUTF8(bytes) {
      throw Malformed(line: line, reason: "not UTF-8: save the file as 'CSV UTF-8'")
    }
    var reader = RecordReader(bytes)
    guard let header = try reader.next()?.fields else {
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

  private static func lineOfWrongUTF8(_ bytes: [UInt8]) -> Int? {
    if String(validating: bytes, as: UTF8.self) != nil { return nil }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
  }
}

/// Reads a table's lines one record after the other.
private struct RecordReader {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1

  /// - Parameter bytes: UTF-8.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private var isAtLineEnd: Bool {
    current == UInt8(ascii: "\n")
      || current == UInt8(ascii: "\r") && position + 1 < bytes.count
        && bytes[position + 1] == UInt8(ascii: "\n")
  }

  private mutating func skipLineEnd() {
    position += current == UInt8(ascii: "\r") ? 2 : 1
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
      // A comma.
      position += 1
    }
  }

  private mutating func plainField() throws(CSV.Malformed) -> String {
    let start = position
    while let byte = current, byte != UInt8(ascii: ","), !isAtLineEnd {
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
      if byte == UInt8(ascii: "\n") { line += 1 }
      position += 1
      guard byte == UInt8(ascii: "\"") else { continue }
      guard current == UInt8(ascii: "\"") else {
        text += bytes[start..<position - 1]
        guard current == nil || current == UInt8(ascii: ",") || isAtLineEnd else {
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
