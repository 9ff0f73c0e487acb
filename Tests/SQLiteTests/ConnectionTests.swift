import CSQLite
import Foundation
import Testing

@testable import SQLite

@Suite("A connection")
struct ConnectionTests {
  private let folder = try! TemporaryFolder()

  /// The statements that a connection has prepared: how many, and how many stand on a row.
  private func statements(of connection: Connection) -> (all: Int, busy: Int) {
    var (all, busy) = (0, 0)
    var next = sqlite3_next_stmt(connection.handle, nil)
    while let statement = next {
      all += 1
      if sqlite3_stmt_busy(statement) != 0 { busy += 1 }
      next = sqlite3_next_stmt(connection.handle, statement)
    }
    return (all, busy)
  }

  private func numbers() throws -> Connection {
    try folder.connection(
      "CREATE TABLE number (n UNIQUE, m); INSERT INTO number VALUES (1, 1), (2, 4), (3, 9)")
  }

  @Test("rows are decoded in their order")
  func rows() throws {
    let connection = try numbers()
    let rows = try connection.rows("SELECT n, m FROM number WHERE n >= ?1 ORDER BY n DESC", .integer(2)) {
      [$0.integer(0), $0.integer(1)]
    }
    #expect(rows == [[3, 9], [2, 4]])
    #expect(try connection.row("SELECT m FROM number WHERE n = 3") { $0.integer(0) } == 9)
    #expect(try connection.row("SELECT m FROM number WHERE n = 4") { $0.integer(0) } == nil)
    #expect(try connection.rows("SELECT m FROM number WHERE n = 4") { $0.integer(0) }.isEmpty)
    #expect(try connection.integer("SELECT sum(m) FROM number") == 14)
    #expect(try connection.integer("SELECT m FROM number WHERE n = 4") == nil)
  }

  @Test("each hands over rows until it is told to stop")
  func each() throws {
    let connection = try numbers()
    var seen: [Int64] = []
    try connection.each("SELECT n FROM number ORDER BY n") { row in
      seen.append(row.integer(0))
      return seen.count < 2
    }
    #expect(seen == [1, 2])
  }

  @Test("a statement is prepared once")
  func reuse() throws {
    let connection = try numbers()
    for number in Int64(10)..<110 {
      try connection.run("INSERT INTO number VALUES (?1, 0)", .integer(number))
    }
    #expect(statements(of: connection).all == 1)
    #expect(try connection.integer("SELECT count(*) FROM number") == 103)
    #expect(statements(of: connection).all == 1)
  }

  @Test("no statement stays on its row, which would keep a transaction open")
  func reset() throws {
    let connection = try numbers()
    _ = try connection.row("SELECT n FROM number") { $0.integer(0) }
    #expect(statements(of: connection).busy == 0)
    try connection.each("SELECT n FROM number") { _ in false }
    #expect(statements(of: connection).busy == 0)
    #expect(throws: SQLiteError.self) {
      try connection.rows("SELECT n FROM number") { _ throws(SQLiteError) -> Int in throw .busy }
    }
    #expect(throws: SQLiteError.self) {
      try connection.row("SELECT n FROM number") { _ throws(SQLiteError) -> Int in throw .busy }
    }
    #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO number VALUES (1, 1)") }
    #expect(statements(of: connection).busy == 0)
  }

  @Test("a statement that failed does again, and forgets what was bound to it")
  func afterFailure() throws {
    let connection = try numbers()
    func insert(_ values: Value...) throws {
      // Not every call binds both.
      if values.count == 2 {
        try connection.run("INSERT INTO number VALUES (?1, ?2)", values[0], values[1])
      } else {
        try connection.run("INSERT INTO number VALUES (?1, ?2)", values[0])
      }
    }
    #expect(throws: SQLiteError.self) { try insert(.integer(1), .integer(77)) }
    try insert(.integer(4), .integer(16))
    try insert(.integer(5))
    #expect(try connection.integer("SELECT m FROM number WHERE n = 4") == 16)
    #expect(try connection.integer("SELECT count(*) FROM number WHERE n = 5 AND m IS NULL") == 1)
  }

  @Test("one statement's bindings are gone at its next use")
  func bindings() throws {
    let connection = try numbers()
    let sql: StaticString = "SELECT ?1 IS NULL, ?2 IS NULL"
    _ = try connection.row(sql, .integer(1), .integer(2)) { $0.integer(0) }
    #expect(try connection.row(sql, .integer(1)) { [$0.integer(0), $0.integer(1)] } == [0, 1])
  }

  @Test("a connection that only reads cannot write")
  func readOnly() throws {
    _ = try numbers()
    let connection = try Connection(path: folder.path, access: .readOnly)
    #expect(try connection.integer("SELECT count(*) FROM number") == 3)
    for sql in [
      "DELETE FROM number", "CREATE TABLE other (x)", "PRAGMA user_version = 7", "DROP TABLE number",
    ] {
      #expect { try connection.execute(sql) } throws: { error in
        if case .inputOutput(let code, _)? = error as? SQLiteError {
          code & 0xFF == SQLITE_READONLY
        } else {
          false
        }
      }
    }
    #expect(try connection.integer("SELECT count(*) FROM number") == 3)
  }

  @Test("a transaction is kept as a whole or not at all")
  func transaction() throws {
    struct Failure: Error {}
    let connection = try numbers()
    #expect(
      try connection.transaction {
        try connection.run("INSERT INTO number VALUES (4, 16)")
        return 7
      } == 7)
    #expect(throws: Failure.self) {
      try connection.transaction {
        try connection.run("DELETE FROM number")
        throw Failure()
      }
    }
    #expect(!connection.isInTransaction)
    #expect(try connection.integer("SELECT count(*) FROM number") == 4)
    // The error is the one that came first, even where SQLite has ended the transaction by itself.
    #expect(throws: Failure.self) {
      try connection.transaction {
        try connection.execute("ROLLBACK")
        throw Failure()
      }
    }
  }

  @Test("the last row's id and the number of changed rows are the last statement's")
  func changes() throws {
    let connection = try numbers()
    try connection.run("UPDATE number SET m = 0 WHERE n > 1")
    #expect(connection.changedRows == 2)
    try connection.run("INSERT INTO number (rowid, n) VALUES (9223372036854775806, 7)")
    #expect(connection.lastInsertedRow == 9_223_372_036_854_775_806)
    try connection.run("DELETE FROM number WHERE n = 100")
    #expect(connection.changedRows == 0)
  }
}
