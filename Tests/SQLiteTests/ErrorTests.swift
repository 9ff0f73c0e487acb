import Foundation
import SQLite
import Testing

@Suite("SQLite's errors, by what can be done about them")
struct ErrorTests {
  private let folder = try! TemporaryFolder()

  /// The case of the error that `body` ends with, without its message.
  private func kind(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "none"
    } catch let error as SQLiteError {
      return switch error {
      case .notUnique: "notUnique"
      case .noSuchReference: "noSuchReference"
      case .diskFull: "diskFull"
      case .inputOutput: "inputOutput"
      case .busy: "busy"
      case .moved: "moved"
      case .notADatabase: "notADatabase"
      case .interrupted: "interrupted"
      case .other: "other"
      }
    } catch {
      return "another error: \(error)"
    }
  }

  @Test(
    "a constraint says which kind it is",
    arguments: [
      ("INSERT INTO t (id, u) VALUES (1, 'new')", "notUnique"),
      ("INSERT INTO t (u) VALUES ('one')", "notUnique"),
      ("INSERT INTO c VALUES (9)", "noSuchReference"), ("DELETE FROM t WHERE id = 1", "noSuchReference"),
      ("INSERT INTO t (id) VALUES (7)", "other"), ("INSERT INTO t (id, u) VALUES ('x', 'y')", "other"),
      ("INSERT INTO nowhere VALUES (1)", "other"), ("INSERT", "other"), ("INSERT INTO c VALUES (1)", "none"),
    ])
  func constraints(sql: String, expected: String) throws {
    let connection = try folder.connection(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE c (t INTEGER NOT NULL REFERENCES t) STRICT;
      INSERT INTO t VALUES (1, 'one'); INSERT INTO c VALUES (1);
      """)
    #expect(kind { try connection.execute(sql) } == expected)
  }

  @Test("what is given up says so")
  func interrupted() throws {
    let connection = try folder.connection("CREATE TABLE t (n)")
    var asked = 0
    connection.giveUp {
      asked += 1
      return asked == 3
    }
    let sql =
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 1000000) INSERT INTO t SELECT i FROM n"
    #expect(kind { try connection.execute(sql) } == "interrupted")
    #expect(asked == 3)
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
  }

  @Test("a full disk is one")
  func full() throws {
    let connection = try folder.connection("CREATE TABLE blob (bytes); PRAGMA max_page_count = 5")
    #expect(throws: SQLiteError.diskFull) {
      try connection.run("INSERT INTO blob VALUES (?1)", .blob(Array(repeating: 1, count: 100_000)))
    }
    try connection.run("INSERT INTO blob VALUES (?1)", .blob([1]))
  }

  @Test("a file that is no database, a missing one and a folder are told apart")
  func files() throws {
    try Data(repeating: 0x41, count: 5000).write(to: URL(fileURLWithPath: folder.path))
    #expect(kind { try folder.connection("SELECT * FROM sqlite_schema").execute("") } == "notADatabase")
    let missing = folder.url.appending(path: "missing.sqlite").path
    #expect(kind { _ = try Connection(path: missing, access: .readWrite) } == "inputOutput")
    #expect(!FileManager.default.fileExists(atPath: missing))
    #expect(kind { _ = try Connection(path: folder.url.path, access: .readOnly) } == "inputOutput")
  }

  @Test("a database that is in use is busy")
  func busy() throws {
    let connection = try folder.connection("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    try connection.each("SELECT x FROM t") { _ in
      #expect(kind { try connection.execute("DROP TABLE t") } == "busy")
      return true
    }
  }

  @Test("the message names the column, never the value")
  func message() throws {
    let connection = try folder.connection("CREATE TABLE t (u UNIQUE); INSERT INTO t VALUES ('secret')")
    do {
      try connection.execute("INSERT INTO t VALUES ('secret')")
      Issue.record("no error")
    } catch {
      guard case .notUnique(let message) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(message.contains("t.u"))
      #expect(!message.contains("secret"))
    }
  }
}
