import SQLite
import Testing

@Suite("Migrations")
struct MigrationTests {
  private let folder = try! TemporaryFolder()

  private static let first = "CREATE TABLE note (text TEXT NOT NULL) STRICT"

  private func open(_ migrations: [String], definition: String = first) throws -> Connection {
    let schema = Database.Schema(applicationID: 1, definition: definition, migrations: migrations)
    return try Database(path: folder.path, schema: schema).reader()
  }

  /// Makes a database of version 1 with a row.
  private func makeOld() throws {
    _ = try open([])
    try folder.connection("INSERT INTO note VALUES ('kept')").execute("")
  }

  private func notes(_ connection: Connection) throws -> [String] {
    try connection.rows("SELECT text FROM note ORDER BY rowid") { $0.text(0) }
  }

  @Test("each step from an older version runs once, in its order")
  func steps() throws {
    try makeOld()
    let steps = [
      "ALTER TABLE note ADD COLUMN seen INTEGER NOT NULL DEFAULT 0; INSERT INTO note VALUES ('two', 1)",
      "INSERT INTO note SELECT 'three', max(seen) + 1 FROM note",
    ]
    for _ in 0..<2 {
      let connection = try open(steps)
      #expect(try notes(connection) == ["kept", "two", "three"])
      #expect(try connection.integer("SELECT max(seen) FROM note") == 2)
      #expect(try connection.integer("PRAGMA user_version") == 3)
    }
    let more = try open(steps + ["DELETE FROM note WHERE text = 'two'"])
    #expect(try notes(more) == ["kept", "three"])
    #expect(try more.integer("PRAGMA user_version") == 4)
  }

  @Test("a new database gets the whole schema and no step")
  func new() throws {
    let connection = try open(["INSERT INTO note VALUES ('step')", "no SQL at all"])
    #expect(try notes(connection).isEmpty)
    #expect(try connection.integer("PRAGMA user_version") == 3)
  }

  @Test("a step that fails has not happened, those before it have")
  func failure() throws {
    try makeOld()
    let good = "INSERT INTO note VALUES ('good')"
    let bad = "INSERT INTO note VALUES ('bad'); CREATE TABLE other (x); INSERT INTO nowhere VALUES (1)"
    #expect {
      _ = try open([good, bad])
    } throws: { error in
      if case .refused(.other)? = error as? Database.OpenError { true } else { false }
    }
    let connection = try open([good])
    #expect(try notes(connection) == ["kept", "good"])
    #expect(try connection.integer("PRAGMA user_version") == 2)
    #expect(try connection.integer("SELECT count(*) FROM sqlite_schema") == 1)
    #expect(try notes(try open([good, "INSERT INTO note VALUES ('mended')"])) == ["kept", "good", "mended"])
  }

  @Test("a schema that can't be made leaves a file that a later start makes one of")
  func failedDefinition() throws {
    #expect(throws: Database.OpenError.self) { try open([], definition: Self.first + "; nonsense") }
    let connection = try open([])
    #expect(try notes(connection).isEmpty)
    #expect(try connection.integer("PRAGMA user_version") == 1)
  }
}
