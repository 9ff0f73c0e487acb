import SQLite
import Testing

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
