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
  /// - Throws: `CatalogueRows.Mistakes`, `SQLiteError`.
  static func seed(_ connection: Connection) throws {
    try connection.transaction {
      for table in CatalogueTable.allCases where try !table.hasRows(on: connection) {
        let rows = try CatalogueRows(table, csv: Array(table.seed.utf8))
        try CatalogueChange(rows, allowsRenaming: false, on: connection).apply(on: connection)
      }
    }
  }
}
