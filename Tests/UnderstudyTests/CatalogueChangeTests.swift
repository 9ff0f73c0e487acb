import JSON
import SQLite
import Testing

@testable import HTTP
@testable import Understudy

@Suite("A change of the catalogue")
struct CatalogueChangeTests {
  private let folder = try! TemporaryFolder()
  private let connection: Connection

  init() throws {
    connection = try Database(path: folder.path("test.sqlite"), schema: Storage.schema).writer()
    try Catalogue.seed(connection)
  }

  private func observe(species: Int64, park: Int64, times: Int = 1) throws {
    try connection.execute(
      "INSERT OR IGNORE INTO user (id, username, username_nfc, password, realname, phone) VALUES (1, 'a', 'a', '', '', '')"
    )
    for _ in 0..<times {
      try connection.run(
        "INSERT INTO observation (user, species, park, comment, date) VALUES (1, ?1, ?2, '', '')",
        .integer(species), .integer(park))
    }
  }

  private func change(
    _ table: CatalogueTable, _ csv: String, allowsRenaming: Bool = false
  ) throws -> CatalogueChange {
    let rows = try CatalogueRows(table, csv: Array(csv.utf8))
    return try CatalogueChange(rows, allowsRenaming: allowsRenaming, on: connection)
  }

  /// What a table holds, written as an export writes it, with changes to its text.
  private func csv(_ table: CatalogueTable, _ change: (inout [[String]]) -> Void = { _ in }) throws -> String
  {
    var lines = try table.rows(on: connection).map { ["\($0.id)"] + $0.values }
    change(&lines)
    let body = ByteBuffer()
    body.append(csvRecord: ["id"] + table.columns.map(\.name))
    for line in lines { body.append(csvRecord: line.map(Formula.defused)) }
    return body.text
  }

  @Test("of what is there already is none", arguments: CatalogueTable.allCases)
  func none(table: CatalogueTable) throws {
    let change = try change(table, try csv(table))
    #expect(change.isEmpty)
    #expect(change.summary == ["\(table.rawValue): \(table == .species ? 48 : 50) as before"])
  }

  @Test("puts rows in, changes them, takes them out, and says how many")
  func counts() throws {
    let text = try csv(.parks) { lines in
      lines[3][2] = "Elsewhere"
      lines.removeLast(2)
      lines.append(["900", "New Park", "Dane"])
    }
    let change = try change(.parks, text)
    #expect(change.summary == ["parks: 1 new, 1 changed, 2 taken out, 47 as before"])
    #expect(change.refusals.isEmpty)
    try change.apply(on: connection)
    let parks = try Catalogue(on: connection).parks
    #expect(parks.map(\.id) == Array(1...48) + [900])
    #expect(parks[3].county == "Elsewhere")
    #expect(parks.last?.name == "New Park")
  }

  @Test(
    "gives a name to an id that nobody has observed, and keeps what was said of the plant if it is the same")
  func facts() throws {
    try change(
      .species, "id,name,image\n1,GARLIC  mustard,own.jpg\n2,Kudzu,kudzu.png\n"
    ).apply(on: connection)
    let rows = try CatalogueTable.species.rows(on: connection)
    #expect(rows.map(\.id) == [1, 2])
    #expect(rows[0].values[0...2] == ["GARLIC  mustard", "own.jpg", "Alliaria petiolata"])
    #expect(rows[1].values[0...2] == ["Kudzu", "kudzu.png", ""])
    #expect(rows[1].values.dropFirst(2) == Array(repeating: "", count: 9)[...])
  }

  @Test("of what an observed id means is refused, with which, what and how many")
  func meaning() throws {
    try observe(species: 1, park: 5, times: 3)
    try observe(species: 2, park: 5)
    let text = try csv(.species) { lines in
      lines[0][1] = "Kudzu"
      lines.remove(at: 1)
      lines[5][1] = "Unseen"
    }
    let refused = try change(.species, text)
    #expect(
      refused.refusals == [
        "species 1 ('Garlic Mustard') would become 'Kudzu', and 3 observations refer to it",
        "species 2 ('Common Buckthorn') is left out, and 1 observation refers to it",
      ])
    let problem = #expect(throws: Problem.self) { try CatalogueChange.requireAllowed([refused]) }
    #expect(problem?.status == .conflict)
    #expect(problem?.detail.split(separator: "\n").count == 2)
    // Letter case and white space are no other meaning, and facts are none.
    let spelling = try csv(.species) { lines in
      lines[0][1] = "garlic  mustard"
      lines[1][2] = "other.png"
      lines[1][4] = "Another Family"
    }
    #expect(try change(.species, spelling).refusals.isEmpty)
  }

  @Test("to another spelling is made where the owner says so, and told; an observed row is never taken out")
  func renaming() throws {
    try observe(species: 1, park: 5, times: 2)
    let renamed = try csv(.species) { $0[0][1] = "Jack-by-the-hedge" }
    let change = try change(.species, renamed, allowsRenaming: true)
    #expect(change.refusals.isEmpty)
    #expect(
      change.summary.last
        == "species 1 ('Garlic Mustard') is now 'Jack-by-the-hedge'; 2 observations refer to it")
    try change.apply(on: connection)
    #expect(try Catalogue(on: connection).species.first?.name == "Jack-by-the-hedge")
    let without = try csv(.species) { $0.removeFirst() }
    #expect(try self.change(.species, without, allowsRenaming: true).refusals.count == 1)
  }

  @Test(
    "is exact, to the byte",
    arguments: ["=1+1", "'=1", "a,\"b\"", " x ", "é", "e\u{301}", "\u{FEFF}x", "-", "'"])
  func exact(text: String) throws {
    let rows = try csv(.parks) { lines in
      lines[0][1] = text
      lines[0][2] = text
    }
    try change(.parks, rows).apply(on: connection)
    let park = try #require(try Catalogue(on: connection).parks.first)
    #expect(Array(park.name.utf8) == Array(text.utf8))
    #expect(Array(park.county.utf8) == Array(text.utf8))
    #expect(try change(.parks, try csv(.parks)).isEmpty)
  }

  @Test("lists up to fifty of what can't be")
  func many() throws {
    for id in 1...48 { try observe(species: Int64(id), park: Int64(id)) }
    try observe(species: 1, park: 49)
    let species = try change(.species, "id,name,image\n100,X,\n")
    let parks = try change(.parks, "id,name,county\n100,X,\n")
    let problem = #expect(throws: Problem.self) { try CatalogueChange.requireAllowed([species, parks]) }
    let lines = problem?.detail.split(separator: "\n") ?? []
    #expect(lines.count == 51)
    #expect(lines.last == "and 47 more")
  }
}
