import Foundation
import SQLite
import Testing

@Suite("A database file")
struct DatabaseTests {
  private let folder = try! TemporaryFolder()

  private func open(_ schema: Database.Schema = .families) throws(Database.OpenError) -> Database {
    try Database(path: folder.path, schema: schema)
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("a new file is this program's, of the current version, and nobody else may read it")
  func new() throws {
    let database = try open()
    let reader = try database.reader()
    #expect(try mode(folder.path) == 0o600)
    #expect(try reader.integer("PRAGMA application_id") == 0x5465_7374)
    #expect(try reader.integer("PRAGMA user_version") == 1)
    #expect(try reader.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table'") == 3)
    #expect(try reader.row("PRAGMA journal_mode") { $0.text(0) } == "wal")
    let writer = try database.writer()
    try writer.run("INSERT INTO parent (name) VALUES ('Ada')")
    // The log that changes are in first is as private as the file.
    #expect(try mode(folder.path + "-wal") == 0o600)
  }

  @Test("the writer's commits are on the disk when they return, and references are checked")
  func writerSettings() throws {
    let writer = try open().writer()
    // 2 is FULL (https://sqlite.org/pragma.html#pragma_synchronous).
    #expect(try writer.integer("PRAGMA synchronous") == 2)
    #expect(try writer.integer("PRAGMA foreign_keys") == 1)
  }

  @Test("a file opened again has its rows, and is not made anew")
  func again() throws {
    do {
      let writer = try open().writer()
      try writer.run("INSERT INTO parent (name) VALUES ('Ada')")
    }
    #expect(try open().reader().integer("SELECT count(*) FROM parent") == 1)
    #expect(try open().reader().integer("PRAGMA user_version") == 1)
  }

  @Test("an empty file becomes a database")
  func empty() throws {
    try Data().write(to: URL(fileURLWithPath: folder.path))
    #expect(try open().reader().integer("PRAGMA application_id") == 0x5465_7374)
  }

  @Test("a file whose making was interrupted becomes a database, and stays one", arguments: [true, false])
  func interrupted(hasHeader: Bool) throws {
    if hasHeader { try folder.connection().execute("PRAGMA application_id = \(0x5465_7374)") }
    var page = hasHeader ? try Data(contentsOf: URL(fileURLWithPath: folder.path)) : Data()
    page.append(Data(count: 8192 - page.count))
    try page.write(to: URL(fileURLWithPath: folder.path))
    // A journal without records, of a database that had no pages before, for sectors of 512 and pages of
    // 4096 bytes.
    var journal = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7] + Array(repeating: 0, count: 14))
    journal += [2, 0, 0, 0, 0x10, 0]
    try (journal + Data(count: 512 - journal.count)).write(to: URL(fileURLWithPath: folder.path + "-journal"))
    for _ in 1...2 {
      let reader = try open().reader()
      #expect(try reader.integer("PRAGMA application_id") == 0x5465_7374)
      #expect(try reader.integer("SELECT count(*) FROM parent") == 0)
    }
  }

  @Test(
    "a file that is no database is refused and left as it was",
    arguments: [
      "x", "SQLite format 3\u{0}", String(repeating: "id,name\n", count: 1000), "SQLite format 3",
      "SQLite format 3 " + String(repeating: " ", count: 5000),
    ])
  func noDatabase(text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path))
    let before = try folder.contents()
    #expect(throws: Database.OpenError.notADatabase) { try open() }
    #expect(try folder.contents() == before)
  }

  @Test("a database of another program is refused and left as it was", arguments: [0, 7, -1], [false, true])
  func foreign(applicationID: Int32, hasLog: Bool) throws {
    let other = try folder.connection(
      """
      PRAGMA application_id = \(applicationID);
      PRAGMA journal_mode = \(hasLog ? "WAL" : "DELETE");
      CREATE TABLE theirs (x);
      INSERT INTO theirs VALUES (1);
      """)
    let before = try folder.contents()
    // While the other program has it open, its log beside it.
    #expect(before.count == (hasLog ? 3 : 1))
    #expect(throws: Database.OpenError.foreign(applicationID: applicationID)) { try open() }
    #expect(try folder.contents() == before)
    #expect(try other.integer("SELECT count(*) FROM theirs") == 1)
  }

  @Test("a database of a newer version is refused and left as it was")
  func newer() throws {
    do {
      let writer = try open().writer()
      try writer.execute("INSERT INTO parent (name) VALUES ('Ada'); PRAGMA user_version = 5")
    }
    let before = try folder.contents()
    #expect(throws: Database.OpenError.newer(version: 5, known: 1)) { try open() }
    #expect(try folder.contents()["test.sqlite"] == before["test.sqlite"])
    let migrated = Database.Schema(
      applicationID: 0x5465_7374, definition: "", migrations: Array(repeating: "", count: 4))
    #expect(try open(migrated).reader().integer("SELECT count(*) FROM parent") == 1)
  }

  @Test("a version that no program writes is refused, not crashed on")
  func negativeVersion() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let writer = try Database(path: folder.path, schema: .families).writer()
      try writer.execute("PRAGMA user_version = -3")
      #expect(throws: Database.OpenError.self) { try Database(path: folder.path, schema: .families) }
    }
  }

  @Test("a folder in the file's place and a folder that isn't there are unreachable")
  func unreachable() throws {
    let paths = [folder.url.path, folder.url.appending(path: "missing/test.sqlite").path]
    for path in paths {
      #expect {
        try Database(path: path, schema: .families)
      } throws: { error in
        if case .unreachable? = error as? Database.OpenError { true } else { false }
      }
    }
  }
}
