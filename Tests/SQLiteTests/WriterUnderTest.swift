import SQLite
import Testing
import Threads

/// A writer whose thread a test can hold up, so that what is submitted meanwhile becomes one batch.
final class WriterUnderTest {
  let folder: TemporaryFolder
  let database: Database
  let writer: Writer
  private let gate = Condition((isReached: false, isOpen: false))
  /// What the completions were told, by the work's name.
  let results = Condition<[String: [Result<Int64, any Error>]]>([:])

  /// - Parameter setup: what the writer's connection runs first.
  init(queueLimit: Int = 1000, setup: String = "") throws {
    folder = try TemporaryFolder()
    database = try Database(path: folder.path, schema: .families)
    let connection = try database.writer()
    try connection.execute(setup)
    writer = try Writer(connection: connection, queueLimit: queueLimit)
  }

  /// Returns when the writer's thread is held up by a piece of work, alone in its transaction.
  func hold() {
    let gate = gate
    let isAccepted = writer.submit { _ in
      gate.withLock { $0.isReached = true }
      gate.broadcast()
      gate.wait { $0.isOpen ? () : nil }
    } completion: { _ in
    }
    #expect(isAccepted)
    gate.wait { $0.isReached ? () : nil }
  }

  /// Lets the writer go on.
  func release() {
    gate.withLock { $0.isOpen = true }
    gate.broadcast()
  }

  /// Submits work whose result is kept under its name.
  @discardableResult
  func submit(_ name: String, _ work: @escaping @Sendable (Connection) throws -> Int64) -> Bool {
    let results = results
    return writer.submit(work) { result in
      results.withLock { $0[name, default: []].append(result) }
      results.broadcast()
    }
  }

  /// Submits the insertion of a parent of this name.
  @discardableResult
  func insert(_ name: String) -> Bool {
    submit(name) { connection in
      try connection.run("INSERT INTO parent (name) VALUES (?1)", .text(name))
      return connection.lastInsertedRow
    }
  }

  /// The error that a work's only completion was told; nil where it succeeded.
  func error(of name: String) throws -> (any Error)? {
    let told = try #require(results.withLock { $0[name] }, "'\(name)' was told nothing")
    #expect(told.count == 1, "'\(name)' was told more than once")
    if case .failure(let error) = told[0] { return error }
    return nil
  }

  /// The names of the parents that are in the database.
  func names() throws -> [String] {
    try database.reader().rows("SELECT name FROM parent ORDER BY name") { $0.text(0) }
  }
}
