import SQLite

/// The species and parks, read once and kept in memory: only their owner changes them.
struct Catalogue: Sendable {
  let species: [Species]
  let parks: [Park]

  init(on connection: Connection) throws {
    species = try Species.all(on: connection)
    parks = try Park.all(on: connection)
  }

  /// Loads what the program carries where the tables are empty: on the first start. The ids are
  /// those of seed/species.csv and seed/parks.csv.
  ///
  /// - Throws: `CSV.Malformed`, `SQLiteError`.
  static func seed(_ connection: Connection) throws {
    try connection.transaction {
      if try connection.integer("SELECT count(*) FROM species") == 0 {
        for row in try CSV(EmbeddedText.species).rows {
          try connection.run(
            """
            INSERT INTO species (
              id, name, image, scientific_name, family, growth_form, flower_colour, bloom, leaf_shape,
              leaf_arrangement, inflorescence, fruit)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """,
            .integer(try row.wholeNumber("id")), .text(try row.text("name")), .text(try row.text("image")),
            .text(try row.text("scientific_name")), .text(try row.text("family")),
            .text(try row.text("growth_form")), .text(try row.text("flower_colour")),
            .text(try row.text("bloom")), .text(try row.text("leaf_shape")),
            .text(try row.text("leaf_arrangement")), .text(try row.text("inflorescence")),
            .text(try row.text("fruit")))
        }
      }
      if try connection.integer("SELECT count(*) FROM park") == 0 {
        for row in try CSV(EmbeddedText.parks).rows {
          try connection.run(
            "INSERT INTO park (id, name, county) VALUES (?1, ?2, ?3)",
            .integer(try row.wholeNumber("id")), .text(try row.text("name")), .text(try row.text("county")))
        }
      }
    }
  }
}
