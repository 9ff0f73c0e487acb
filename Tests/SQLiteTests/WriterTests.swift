import SQLite
import Testing
import Threads

@Suite("The writer")
struct WriterTests {
  @Test("what waits is committed together")
  func batch() throws {
    let test = try WriterUnderTest()
    test.hold()
    for number in 0..<50 { test.insert("name \(number)") }
    #expect(test.writer.queueLength == 50)
    test.release()
    test.writer.close()
    for number in 0..<50 { #expect(try test.error(of: "name \(number)") == nil) }
    #expect(try test.names().count == 50)
    let statistics = test.writer.statistics
    #expect(statistics.commits == 2)
    #expect(statistics.works == 51)
    #expect(statistics.largestBatch == 50)
  }

  @Test("a transaction has at most so many pieces")
  func batchLimit() throws {
    let test = try WriterUnderTest(queueLimit: 10_000)
    test.hold()
    for number in 0...Writer.batchLimit { test.insert("name \(number)") }
    test.release()
    test.writer.close()
    #expect(test.writer.statistics.commits == 3)
    #expect(test.writer.statistics.largestBatch == Writer.batchLimit)
    #expect(try test.names().count == Writer.batchLimit + 1)
  }

  @Test("work is done in the order in which it came")
  func order() throws {
    let test = try WriterUnderTest()
    test.hold()
    for number in 0..<100 { test.insert("name \(number)") }
    test.release()
    test.writer.close()
    let ids = try test.results.withLock { results in
      try (0..<100).map { try #require(results["name \($0)"]?.first).get() }
    }
    #expect(ids == Array(1...100))
  }

  @Test("a completion is called when another connection can see the change", arguments: [1, 5])
  func visibility(count: Int) throws {
    let test = try WriterUnderTest()
    let database = test.database
    let seen = Condition<[Int64?]>([])
    test.hold()
    for number in 0..<count {
      let isAccepted = test.writer.submit { connection in
        try connection.run("INSERT INTO parent (name) VALUES (?1)", .text("name \(number)"))
      } completion: { _ in
        let count = try? database.reader().integer("SELECT count(*) FROM parent")
        seen.withLock { $0.append(count) }
      }
      #expect(isAccepted)
    }
    test.release()
    test.writer.close()
    #expect(seen.withLock { $0 } == Array(repeating: Int64(count), count: count))
  }

  @Test("a full queue refuses, and never calls what it refused")
  func full() throws {
    let test = try WriterUnderTest(queueLimit: 2)
    test.hold()
    #expect(test.insert("one"))
    #expect(test.insert("two"))
    #expect(!test.insert("three"))
    test.release()
    test.writer.close()
    #expect(try test.names() == ["one", "two"])
    #expect(test.results.withLock { $0["three"] } == nil)
  }

  @Test("close finishes what waits, and refuses what comes after")
  func close() throws {
    let test = try WriterUnderTest()
    test.hold()
    for number in 0..<20 { test.insert("name \(number)") }
    let releasing = try Thread { [release = Releaser(test)] in release() }
    test.writer.close()
    releasing.join()
    #expect(try test.names().count == 20)
    #expect(!test.insert("late"))
    #expect(test.results.withLock { $0["late"] } == nil)
  }

  /// Carries the call to another thread.
  private struct Releaser: @unchecked Sendable {
    // Safe to send: the gate that it opens is a condition.
    private let test: WriterUnderTest
    init(_ test: WriterUnderTest) { self.test = test }
    func callAsFunction() { test.release() }
  }

  @Test("many threads submit at once, and every change is made once")
  func manyThreads() throws {
    let test = try WriterUnderTest()
    let writer = test.writer
    let succeeded = Condition(0)
    let threads = try (0..<4).map { thread in
      try Thread {
        for number in 0..<100 {
          let isAccepted = writer.submit { connection in
            try connection.run("INSERT INTO parent (name) VALUES (?1)", .text("\(thread) \(number)"))
          } completion: { result in
            if case .success = result { succeeded.withLock { $0 += 1 } }
          }
          #expect(isAccepted)
        }
      }
    }
    for thread in threads { thread.join() }
    writer.close()
    #expect(succeeded.withLock { $0 } == 400)
    #expect(try test.names().count == 400)
    #expect(writer.statistics.works == 400)
  }
}
