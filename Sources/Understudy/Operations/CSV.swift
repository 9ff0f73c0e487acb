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
    private let fields: [String]

    fileprivate init(line: Int, columns: [String: Int], fields: [String]) {
      self.line = line
      self.columns = columns
      self.fields = fields
    }

    func text(_ column: String) throws(Malformed) -> String {
      guard let index = columns[column] else {
        throw Malformed(line: 1, reason: "there is no column '\(column)'")
      }
      return fields[index]
    }

    func wholeNumber(_ column: String) throws(Malformed) -> Int64 {
      let text = try text(column)
      guard let number = Int64(text) else {
        throw Malformed(line: line, reason: "'\(text)' in column '\(column)' is not a whole number")
      }
      return number
    }
  }

  /// The columns' names, in their order.
  let columns: [String]
  let rows: [Row]

  init(_ text: String) throws(Malformed) {
    var records = try Self.records(text)
    guard !records.isEmpty else {
      throw Malformed(line: 1, reason: "there is no line that names the columns")
    }
    let header = records.removeFirst().fields
    let columns = Dictionary(zip(header, header.indices), uniquingKeysWith: { first, _ in first })
    guard columns.count == header.count else {
      throw Malformed(line: 1, reason: "two columns have the same name")
    }
    self.columns = header
    rows = try records.map { record throws(Malformed) in
      guard record.fields.count == header.count else {
        throw Malformed(
          line: record.line, reason: "\(record.fields.count) fields where \(header.count) are expected")
      }
      return Row(line: record.line, columns: columns, fields: record.fields)
    }
  }

  private static func records(_ text: String) throws(Malformed) -> [(line: Int, fields: [String])] {
    var records: [(line: Int, fields: [String])] = []
    var fields: [String] = []
    var field = String.UnicodeScalarView()
    var (line, start) = (1, 1)
    var isQuoted = false
    var wasQuoted = false
    var scalars = Substring(text).unicodeScalars
    if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
    func endField() {
      fields.append(String(field))
      field = .init()
      wasQuoted = false
    }
    func endRecord() {
      // A line with nothing on it is none; one with an empty field in quotes is.
      let isBlank = fields.isEmpty && field.isEmpty && !wasQuoted
      endField()
      if !isBlank { records.append((start, fields)) }
      fields = []
    }
    while let scalar = scalars.popFirst() {
      if scalar == "\n" { line += 1 }
      switch (scalar, isQuoted) {
      case ("\"", true):
        if scalars.first == "\"" { field.append(scalars.removeFirst()) } else { isQuoted = false }
      case (_, true): field.append(scalar)
      case ("\"", false):
        guard field.isEmpty, !wasQuoted else {
          throw Malformed(line: line, reason: "a quote inside a field that doesn't begin with one")
        }
        (isQuoted, wasQuoted) = (true, true)
      case (",", false): endField()
      case ("\r", false) where scalars.first == "\n": continue
      case ("\n", false):
        endRecord()
        start = line
      default:
        guard !wasQuoted else { throw Malformed(line: line, reason: "text behind a closing quote") }
        field.append(scalar)
      }
    }
    guard !isQuoted else { throw Malformed(line: start, reason: "a quote is opened and never closed") }
    if !field.isEmpty || !fields.isEmpty || wasQuoted { endRecord() }
    return records
  }
}
