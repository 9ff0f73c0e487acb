import HTTP
import JSON
import SQLite

/// A table of the catalogue: what its columns may hold, wherever a row comes from (a file, another server, the
/// program itself), and how a row is stored.
enum CatalogueTable: String, Sendable, CaseIterable {
  case species, parks

  /// A column behind the id.
  struct Column: Sendable {
    let name: String
    let rule: Rule
  }

  /// What a column may hold. Nothing takes control characters.
  enum Rule: Sendable {
    /// What an id means: never empty.
    case name
    case text
    /// A picture's file name, an absolute URL, or nothing.
    case image
  }

  /// The most rows: the lists are kept in memory, and phones load them whole.
  static let rowLimit = 10_000
  /// Ids are numbers that JavaScript, too, tells apart.
  static let ids: ClosedRange<Int64> = 1...(1 << 53 - 1)

  /// One row's kind, as a sentence about it says it.
  var noun: String { self == .species ? "species" : "park" }

  /// The member of an object of the list that holds the id.
  var idMember: String { self == .species ? "idspecies" : "idpark" }

  /// The columns, in the order in which a row's values stand.
  var columns: [Column] {
    switch self {
    case .species:
      [Column(name: "name", rule: .name), Column(name: "image", rule: .image)]
        + [
          "scientific_name", "family", "growth_form", "flower_colour", "bloom", "leaf_shape",
          "leaf_arrangement", "inflorescence", "fruit",
        ].map { Column(name: $0, rule: .text) }
    case .parks: [Column(name: "name", rule: .name), Column(name: "county", rule: .text)]
    }
  }

  /// How many of the columns have to be there: the others are facts that the apps don't ask for.
  var requiredColumns: Int { 2 }

  /// A row as it is stored.
  struct Stored: Sendable {
    let id: Int64
    /// By column.
    var values: [String]
    /// What the id means.
    var name: String { values[0] }
  }

  /// What the program carries of it, as CSV.
  var seed: String { self == .species ? EmbeddedText.species : EmbeddedText.parks }

  // MARK: The database

  func hasRows(on connection: Connection) throws(SQLiteError) -> Bool {
    let first =
      switch self {
      case .species: try connection.row("SELECT 1 FROM species LIMIT 1", as: { _ in true })
      case .parks: try connection.row("SELECT 1 FROM park LIMIT 1", as: { _ in true })
      }
    return first != nil
  }

  /// The rows, by id.
  func rows(on connection: Connection) throws(SQLiteError) -> [Stored] {
    let columns = Int32(columns.count)
    func decode(_ row: borrowing Row) throws(SQLiteError) -> Stored {
      var values: [String] = []
      for column in 1...columns { values.append(row.text(column)) }
      return Stored(id: row.integer(0), values: values)
    }
    switch self {
    case .species:
      return try connection.rows(
        """
        SELECT id, name, image, scientific_name, family, growth_form, flower_colour, bloom, leaf_shape,
          leaf_arrangement, inflorescence, fruit
        FROM species ORDER BY id
        """, as: decode)
    case .parks:
      return try connection.rows("SELECT id, name, county FROM park ORDER BY id", as: decode)
    }
  }

  /// Stores a row, in the place of the one that has its id.
  func store(_ row: Stored, on connection: Connection) throws(SQLiteError) {
    let values = row.values.map { Value.text($0) }
    switch self {
    case .species:
      try connection.run(
        """
        INSERT INTO species (
          id, name, image, scientific_name, family, growth_form, flower_colour, bloom, leaf_shape,
          leaf_arrangement, inflorescence, fruit)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        ON CONFLICT (id) DO UPDATE SET
          name = excluded.name, image = excluded.image, scientific_name = excluded.scientific_name,
          family = excluded.family, growth_form = excluded.growth_form,
          flower_colour = excluded.flower_colour, bloom = excluded.bloom, leaf_shape = excluded.leaf_shape,
          leaf_arrangement = excluded.leaf_arrangement, inflorescence = excluded.inflorescence,
          fruit = excluded.fruit
        """, .integer(row.id), values[0], values[1], values[2], values[3], values[4], values[5], values[6],
        values[7], values[8], values[9], values[10])
    case .parks:
      try connection.run(
        """
        INSERT INTO park (id, name, county) VALUES (?1, ?2, ?3)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, county = excluded.county
        """, .integer(row.id), values[0], values[1])
    }
  }

  /// Takes a row out. Its id is not given again.
  func remove(_ id: Int64, on connection: Connection) throws(SQLiteError) {
    switch self {
    case .species: try connection.run("DELETE FROM species WHERE id = ?1", .integer(id))
    case .parks: try connection.run("DELETE FROM park WHERE id = ?1", .integer(id))
    }
  }

  /// How many observations refer to a row.
  func observations(of id: Int64, on connection: Connection) throws(SQLiteError) -> Int64 {
    func decode(_ row: borrowing Row) throws(SQLiteError) -> Int64 { row.integer(0) }
    let count =
      switch self {
      case .species:
        try connection.row(
          "SELECT count(*) FROM observation WHERE species = ?1", .integer(id), as: decode)
      case .parks:
        try connection.row("SELECT count(*) FROM observation WHERE park = ?1", .integer(id), as: decode)
      }
    return count ?? 0
  }
}

extension CatalogueTable.Rule {
  /// The most Unicode scalars of a URL.
  private static let urlLimit = 2000

  /// What is wrong with a text, as the end of a sentence; nil where nothing is.
  func objection(to text: String) -> String? {
    // They would speak to a terminal, and end a line of a file.
    guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      return "holds a control character"
    }
    let isURL = text.contains("://")
    let limit = if case .image = self, isURL { Self.urlLimit } else { JSONObject.shortText }
    let length = text.unicodeScalars.count
    guard length <= limit else { return "has \(length) characters: at most \(limit) are taken" }
    switch self {
    case .name: return text.allSatisfy(\.isWhitespace) ? "is empty" : nil
    case .text: return nil
    case .image:
      guard text.isEmpty || (isURL ? text.isWebURL : Pictures.isFileName(text)) else {
        return
          "is '\(text.printableStart)': expected a picture's file name, like garlic-mustard.png, or an http or https URL"
      }
      return nil
    }
  }
}

extension String {
  /// Whether it is an absolute `http` or `https` URL of characters that a URL may have (RFC 3986).
  fileprivate var isWebURL: Bool {
    guard let scheme = ["http://", "https://"].first(where: { lowercased().hasPrefix($0) }) else {
      return false
    }
    let rest = utf8.dropFirst(scheme.utf8.count)
    let authority = rest.prefix { !"/?#".utf8.contains($0) }
    return Authority.isValid(Array(authority)[...])
      && rest.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }
  }
}
