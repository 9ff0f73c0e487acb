import SQLite
import Testing
import Threads

@testable import Understudy

@Suite("The catalogue")
struct CatalogueTests {
  private let folder = try! TemporaryFolder()

  private func open() throws -> Connection {
    try Database(path: folder.path("test.sqlite"), schema: Storage.schema).writer()
  }

  @Test("what the program carries is loaded once, under its own ids")
  func seed() throws {
    let connection = try open()
    try Catalogue.seed(connection)
    let first = try Catalogue(on: connection)
    let species = try CSV(EmbeddedText.species).rows
    #expect(try first.species.map(\.id) == species.map { try $0.wholeNumber("id") })
    #expect(try first.species.map(\.name) == species.map { try $0.text("name") })
    #expect(try first.parks.map(\.county) == CSV(EmbeddedText.parks).rows.map { try $0.text("county") })
    try Catalogue.seed(connection)
    let second = try Catalogue(on: connection)
    #expect(second.species.count == first.species.count)
    #expect(second.parks.map(\.id) == first.parks.map(\.id))
  }

  @Test("what an owner has changed or taken out stays so")
  func changed() throws {
    let connection = try open()
    try Catalogue.seed(connection)
    try connection.execute("DELETE FROM species WHERE id = 1; UPDATE park SET name = 'Ours' WHERE id = 2")
    try Catalogue.seed(connection)
    let catalogue = try Catalogue(on: connection)
    #expect(!catalogue.species.contains { $0.id == 1 })
    #expect(catalogue.parks.first { $0.id == 2 }?.name == "Ours")
  }

  @Test("a change is served at once on every thread, which has its own edition and keeps it until then")
  func served() throws {
    let connection = try open()
    try Catalogue.seed(connection)
    let served = try ServedCatalogue(Catalogue(on: connection), origin: PublicOrigin(fixed: nil))
    try connection.execute("DELETE FROM park WHERE id = 2")
    let later = try Catalogue(on: connection)
    let turn = Condition(0)
    // Each in its turn, a round before the change and one after it.
    let seen = Condition<[(edition: ObjectIdentifier, parks: Int)]>([])
    let threads = try (0..<3).map { thread in
      try Threads.Thread {
        for round in 0..<2 {
          turn.wait { $0 == 3 * round + thread ? () : nil }
          let edition = served.current
          let isKept = served.current === edition
          seen.withLock {
            $0.append((ObjectIdentifier(edition), isKept ? edition.catalogue.parks.count : -1))
          }
          if thread == 2, round == 0 { served.replace(with: later) }
          turn.withLock { $0 += 1 }
          turn.broadcast()
        }
      }
    }
    for thread in threads { thread.join() }
    let parks = try CSV(EmbeddedText.parks).rows.count
    let (editions, counts) = seen.withLock { ($0.map(\.edition), $0.map(\.parks)) }
    #expect(counts == Array(repeating: parks, count: 3) + Array(repeating: parks - 1, count: 3))
    #expect(Set(editions.prefix(3)).count == 3)
  }

  @Test("an id is never given again")
  func ids() throws {
    let connection = try open()
    try Catalogue.seed(connection)
    let last = try #require(try connection.integer("SELECT max(id) FROM species"))
    try connection.run("DELETE FROM species WHERE id = ?1", .integer(last))
    try connection.run("INSERT INTO species (name, image) VALUES ('New', 'new.png')")
    #expect(connection.lastInsertedRow == last + 1)
  }
}
