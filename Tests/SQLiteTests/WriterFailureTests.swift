import SQLite
import Testing
import Threads

@Suite("The writer, when work fails")
struct WriterFailureTests {
  private struct Refused: Error, Equatable {}

  @Test("a neighbour's failure undoes only itself", arguments: [0, 2])
  func neighbour(neighbours: Int) throws {
    let test = try WriterUnderTest()
    test.hold()
    for number in 0..<neighbours { test.insert("before \(number)") }
    test.submit("refused") { connection in
      try connection.run("INSERT INTO parent (name) VALUES ('half done')")
      throw Refused()
    }
    for number in 0..<neighbours { test.insert("after \(number)") }
    test.release()
    test.writer.close()
    #expect(try test.error(of: "refused") is Refused)
    #expect(
      try test.names() == (0..<neighbours).map { "after \($0)" } + (0..<neighbours).map { "before \($0)" })
    for name in try test.names() { #expect(try test.error(of: name) == nil) }
    #expect(test.writer.statistics.commits == (neighbours == 0 ? 1 : 2))
  }

  @Test("one that can't have a name that its neighbour took first is told so")
  func unique() throws {
    let test = try WriterUnderTest()
    test.hold()
    test.insert("same")
    test.submit("second") { connection in
      try connection.run("INSERT INTO parent (name) VALUES ('same')")
      return 0
    }
    test.insert("other")
    test.release()
    test.writer.close()
    guard case .notUnique? = try test.error(of: "second") as? SQLiteError else {
      Issue.record("the name was given twice")
      return
    }
    #expect(try test.names() == ["other", "same"])
  }

  @Test("a failure that only the commit finds hits the one that it is of", arguments: [0, 2])
  func deferredReference(neighbours: Int) throws {
    let test = try WriterUnderTest()
    test.hold()
    for number in 0..<neighbours { test.insert("before \(number)") }
    test.submit("orphan") { connection in
      try connection.run("INSERT INTO parent (name) VALUES ('half done')")
      try connection.run("INSERT INTO child VALUES (999)")
      return 0
    }
    for number in 0..<neighbours { test.insert("after \(number)") }
    test.release()
    test.writer.close()
    guard case .noSuchReference? = try test.error(of: "orphan") as? SQLiteError else {
      Issue.record("the orphan was told \(String(describing: try test.error(of: "orphan")))")
      return
    }
    let expected = (0..<neighbours).map { "after \($0)" } + (0..<neighbours).map { "before \($0)" }
    #expect(try test.names() == expected)
    for name in expected { #expect(try test.error(of: name) == nil) }
  }

  @Test("one that fills the disk is told, and the others' rows are there", arguments: [0, 2])
  func fullDisk(neighbours: Int) throws {
    let test = try WriterUnderTest(setup: "PRAGMA max_page_count = 20; PRAGMA cache_size = 2")
    test.hold()
    for number in 0..<neighbours { test.insert("before \(number)") }
    test.submit("large") { connection in
      try connection.run("INSERT INTO blob VALUES (?1)", .blob(Array(repeating: 7, count: 1 << 20)))
      return 0
    }
    for number in 0..<neighbours { test.insert("after \(number)") }
    test.release()
    test.writer.close()
    #expect(try test.error(of: "large") as? SQLiteError == .diskFull)
    let expected = (0..<neighbours).map { "after \($0)" } + (0..<neighbours).map { "before \($0)" }
    #expect(try test.names() == expected)
    for name in expected { #expect(try test.error(of: name) == nil) }
  }

  @Test("where the transaction itself is gone, each is done again alone and told its own result")
  func lostTransaction() throws {
    let test = try WriterUnderTest()
    test.hold()
    test.insert("before")
    test.submit("loses it") { connection in
      // As SQLite does by itself after some errors.
      try connection.execute("ROLLBACK")
      throw Refused()
    }
    test.insert("after")
    test.release()
    test.writer.close()
    #expect(try test.error(of: "loses it") is Refused)
    #expect(try test.error(of: "before") == nil)
    #expect(try test.error(of: "after") == nil)
    #expect(try test.names() == ["after", "before"])
  }

  @Test("work that fails leaves the writer fit for the next")
  func next() throws {
    let test = try WriterUnderTest()
    for name in ["one", "two"] {
      test.submit("refused \(name)") { _ in throw Refused() }
      test.insert(name)
    }
    test.writer.close()
    #expect(try test.names() == ["one", "two"])
  }
}
