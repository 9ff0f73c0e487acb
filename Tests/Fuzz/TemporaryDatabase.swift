import Foundation
import SQLite

@testable import Understudy

/// The program's database in a folder of its own.
final class TemporaryDatabase {
  private let folder: URL
  let connection: Connection

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "understudy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    connection = try Database(
      path: folder.appending(path: "understudy.sqlite").path, schema: Storage.schema
    ).writer()
    // What the inputs write is never committed.
    try connection.execute("BEGIN IMMEDIATE")
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// Runs `body`, and takes back what it has changed.
  func reverting(_ body: (Connection) throws -> Void) throws {
    try connection.execute("SAVEPOINT input")
    defer { try? connection.execute("ROLLBACK TO input; RELEASE input") }
    try body(connection)
  }
}
