import Foundation
import SQLite
import Testing

/// A folder that goes with the test, and the database in it.
final class TemporaryFolder {
  let url = FileManager.default.temporaryDirectory.appending(path: "understudy-tests-\(UUID().uuidString)")

  /// The database's path; nothing is there at first.
  var path: String { url.appending(path: "test.sqlite").path }

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// Makes a database without any of our marks.
  func connection(_ sql: String = "") throws -> Connection {
    if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(fileURLWithPath: path)) }
    let connection = try Connection(path: path, access: .readWrite)
    try connection.execute(sql)
    return connection
  }

  /// Every file of the folder with its bytes.
  func contents() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: url.appending(path: $0))) })
  }
}

extension Database.Schema {
  /// Parents and children, whose references are looked at when a transaction ends.
  static let families = Database.Schema(
    applicationID: 0x5465_7374,
    definition: """
      CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE child (parent INTEGER NOT NULL REFERENCES parent DEFERRABLE INITIALLY DEFERRED) STRICT;
      CREATE TABLE blob (bytes BLOB NOT NULL) STRICT;
      """, migrations: [])
}
