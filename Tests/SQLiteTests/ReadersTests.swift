import SQLite
import Testing
import Threads

@Suite("Readers")
struct ReadersTests {
  private let folder = try! TemporaryFolder()

  @Test("a thread keeps its connection, and no two have the same")
  func connections() throws {
    let readers = Readers(try Database(path: folder.path, schema: .families))
    let seen = Condition<[[ObjectIdentifier]]>([])
    let threads = try (0..<4).map { _ in
      try Thread {
        let mine = (0..<3).compactMap { _ in (try? readers.connection()).map { ObjectIdentifier($0) } }
        seen.withLock { $0.append(mine) }
      }
    }
    for thread in threads { thread.join() }
    let all = seen.withLock { $0 }
    #expect(all.allSatisfy { $0.count == 3 && Set($0).count == 1 })
    #expect(Set(all.joined()).count == 4)
  }

  @Test("two sets of readers in one thread don't share")
  func separate() throws {
    let other = try TemporaryFolder()
    let (one, two) = (
      Readers(try Database(path: folder.path, schema: .families)),
      Readers(try Database(path: other.path, schema: .families))
    )
    #expect(try one.connection() !== two.connection())
    #expect(try one.connection() === one.connection())
  }

  @Test("a reader sees what is committed, and only that; it can't write")
  func snapshot() throws {
    let database = try Database(path: folder.path, schema: .families)
    let readers = Readers(database)
    let writer = try database.writer()
    let reader = try readers.connection()
    func count() throws -> Int64? { try reader.integer("SELECT count(*) FROM parent") }
    try writer.execute("BEGIN IMMEDIATE; INSERT INTO parent (name) VALUES ('Ada')")
    #expect(try count() == 0)
    try writer.execute("COMMIT")
    #expect(try count() == 1)
    #expect(throws: SQLiteError.self) { try reader.execute("DELETE FROM parent") }
  }
}
