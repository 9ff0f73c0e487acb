import SQLite
import Testing

@Suite("Values")
struct ValueTests {
  private let folder = try! TemporaryFolder()

  @Test(
    "text comes back scalar for scalar",
    arguments: [
      "", "a", "a\u{0}b", "\u{0}", "e\u{301}", "\u{E9}", "😀\u{202E}\u{2028}\n", "'; DROP TABLE value; --",
    ])
  func text(text: String) throws {
    let connection = try folder.connection("CREATE TABLE value (value)")
    for value in [Value.text(text), .utf8(Array(text.utf8))] {
      try connection.run("DELETE FROM value")
      try connection.run("INSERT INTO value VALUES (?1)", value)
      let read = try connection.row("SELECT value, typeof(value), length(CAST(value AS BLOB)) FROM value") {
        (type: $0.text(1), length: $0.integer(2), utf8: Array($0.utf8(0)), text: Array($0.text(0).utf8))
      }
      #expect(read?.type == "text")
      #expect(read?.length == Int64(text.utf8.count))
      #expect(read?.utf8 == Array(text.utf8))
      #expect(read?.text == Array(text.utf8))
    }
  }

  @Test("bytes come back as they were", arguments: [0, 1, 256, 100_000])
  func blob(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let connection = try folder.connection("CREATE TABLE value (value)")
    try connection.run("INSERT INTO value VALUES (?1)", .blob(bytes))
    let read = try connection.row("SELECT value, typeof(value) FROM value") { ($0.blob(0), $0.text(1)) }
    #expect(read?.0 == bytes)
    #expect(read?.1 == "blob")
  }

  @Test("integers come back to their ends", arguments: [0, 1, -1, .max, .min, 1 << 53 + 1] as [Int64])
  func integer(number: Int64) throws {
    let connection = try folder.connection("CREATE TABLE value (value)")
    try connection.run("INSERT INTO value VALUES (?1)", .integer(number))
    let read = try connection.row("SELECT value, typeof(value) FROM value") { ($0.integer(0), $0.text(1)) }
    #expect(read?.0 == number)
    #expect(read?.1 == "integer")
  }

  @Test("NULL is no value: 0, no text, no bytes", arguments: [Value.null, .integer(nil)])
  func null(value: Value) throws {
    let connection = try folder.connection("CREATE TABLE value (value)")
    try connection.run("INSERT INTO value VALUES (?1)", value)
    let isEmpty = try connection.row("SELECT value FROM value") { row in
      row.isNull(0) && row.integer(0) == 0 && row.text(0).isEmpty && row.utf8(0).isEmpty
        && row.blob(0).isEmpty
    }
    #expect(isEmpty == true)
  }
}
