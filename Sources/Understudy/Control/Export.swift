import HTTP
import JSON
import SQLite

/// `/export/species` and the like, on the control socket: a table as CSV or JSON, in pieces of about a megabyte.
/// The pieces put together are the whole; each but the last names the next one in its `Link` field. So a million rows
/// need no memory, and nobody who reads slowly holds up the database.
struct Export {
  let storage: Storage

  /// A piece ends after as many bytes, or rows.
  private static let (bytes, rows) = (1 << 20, Int64(10_000))

  func addRoutes(to router: inout Router) {
    router.get("/export/:table") { [storage] request in
      let name = request.parameter("table") ?? ""
      guard let table = ExportTable.all.first(where: { $0.name == name }) else {
        let known = ExportTable.all.map(\.name).joined(separator: ", ")
        throw Problem.notFound("There is no such table: \(known) are those that there are.")
      }
      let query = request.target.query()
      let format = try query.text("format") ?? "csv"
      guard let format = Format(rawValue: format) else {
        throw Problem.badRequest("The query parameter 'format' is neither csv nor json.")
      }
      let start = Position(
        part: Int(try query.wholeNumber("part") ?? 0), id: try query.wholeNumber("after") ?? 0,
        isFirst: query.bytes("after") == nil)
      guard table.parts.indices.contains(start.part) else {
        throw Problem.notFound("The table has no such part.")
      }
      return .now(try Self.piece(of: table, from: start, format, on: storage.readers.connection()))
    }
  }

  /// How the rows are written.
  private enum Format: String {
    case csv, json
  }

  /// Behind which row a piece begins.
  private struct Position {
    /// Which of the table's parts.
    var part: Int
    var id: Int64
    /// Whether no row comes before it.
    var isFirst: Bool
  }

  private static func piece(
    of table: ExportTable, from start: Position, _ format: Format, on connection: Connection
  ) throws -> Response {
    let body = ByteBuffer(capacity: 1 << 16)
    var position = start
    if position.isFirst {
      switch format {
      case .csv: body.append(csvRecord: table.columns.map(\.name))
      case .json: body.append("[\n" as StaticString)
      }
    }
    var isOver = false
    while !isOver, body.count < bytes {
      var count: Int64 = 0
      try connection.each(table.parts[position.part], .integer(position.id), .integer(rows)) { row in
        table.append(row, as: format == .csv, isFirst: position.isFirst, to: body)
        position.id = row.integer(table.idColumn)
        position.isFirst = false
        count += 1
        return body.count < bytes
      }
      if count == 0 {
        isOver = position.part + 1 == table.parts.count
        (position.part, position.id) = (position.part + 1, 0)
      }
    }
    if isOver, format == .json { body.append(position.isFirst ? "]\n" : "\n]\n" as StaticString) }
    var response = Response(
      type: format == .csv ? "text/csv" : "application/json", body: .buffer(body), caching: .noStore)
    if !isOver {
      response.fields.append(
        Field(
          "Link",
          "</export/\(table.name)?format=\(format.rawValue)&part=\(position.part)&after=\(position.id)>; rel=\"next\""
        ))
    }
    return response
  }
}

/// What of the database leaves it: never a password's hash, and never a key.
struct ExportTable: Sendable {
  enum Kind: Sendable {
    case number, text
    /// JSON, which as a field of CSV is a text.
    case json
  }

  struct Column: Sendable {
    let name: String
    let kind: Kind
  }

  let name: String
  let columns: [Column]
  /// The statements that give the rows of these columns behind an id (?1), by id, and so many of them (?2): one after
  /// the other.
  let parts: [StaticString]

  /// Where in a row the id is.
  var idColumn: Int32 { Int32(columns.firstIndex { $0.name == "id" } ?? 0) }

  private init(_ name: String, _ columns: [(String, Kind)], _ parts: [StaticString]) {
    self.name = name
    self.columns = columns.map { Column(name: $0, kind: $1) }
    self.parts = parts
  }

  static let all = [species, parks, users, observations, people]

  private static func catalogue(_ table: CatalogueTable, _ sql: StaticString) -> ExportTable {
    ExportTable(table.rawValue, [("id", .number)] + table.columns.map { ($0.name, .text) }, [sql])
  }

  private static let species = catalogue(
    .species,
    """
    SELECT id, name, image, scientific_name, family, growth_form, flower_colour, bloom, leaf_shape,
      leaf_arrangement, inflorescence, fruit
    FROM species WHERE id > ?1 ORDER BY id LIMIT ?2
    """)

  private static let parks = catalogue(
    .parks, "SELECT id, name, county FROM park WHERE id > ?1 ORDER BY id LIMIT ?2")

  private static let users = ExportTable(
    "users",
    [("app", .text), ("id", .number), ("name", .text), ("realname", .text), ("phone", .text)],
    [
      """
      SELECT 'invasive', id, username, realname, phone FROM user WHERE id > ?1 ORDER BY id LIMIT ?2
      """,
      """
      SELECT 'directory', id, name, '', '' FROM directory_user WHERE id > ?1 ORDER BY id LIMIT ?2
      """,
    ])

  // The order of the joins is the one of the rows: with another one all of them would be sorted for each piece.
  private static let observations = ExportTable(
    "observations",
    [
      ("id", .number), ("user", .number), ("username", .text), ("species", .number),
      ("species_name", .text), ("park", .number), ("park_name", .text), ("comment", .text), ("date", .text),
    ],
    [
      """
      SELECT observation.id, observation.user, user.username, observation.species, species.name,
        observation.park, park.name, observation.comment, observation.date
      FROM observation CROSS JOIN user ON user.id = observation.user
        CROSS JOIN species ON species.id = observation.species
        CROSS JOIN park ON park.id = observation.park
      WHERE observation.id > ?1 ORDER BY observation.id LIMIT ?2
      """
    ])

  private static let people = ExportTable(
    "people",
    [
      ("id", .number), ("user", .number), ("username", .text), ("name", .text), ("office", .text),
      ("members", .json),
    ],
    [
      """
      SELECT person.id, person.user, directory_user.name, person.name, person.office, person.members
      FROM person CROSS JOIN directory_user ON directory_user.id = person.user
      WHERE person.id > ?1 ORDER BY person.id LIMIT ?2
      """
    ])

  /// Appends a row.
  func append(_ row: borrowing Row, as isCSV: Bool, isFirst: Bool, to body: ByteBuffer) {
    if isCSV {
      var fields: [String] = []
      for (index, column) in columns.enumerated() {
        let index = Int32(index)
        switch column.kind {
        case .number: fields.append("\(row.integer(index))")
        // Spreadsheets end a field, or the file, at a NUL.
        case .text, .json: fields.append(Formula.defused(row.text(index).withoutNUL))
        }
      }
      body.append(csvRecord: fields)
      return
    }
    body.append(isFirst ? "{" : ",\n{" as StaticString)
    for (index, column) in columns.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      body.append(jsonString: column.name)
      body.append(UInt8(ascii: ":"))
      let index = Int32(index)
      switch column.kind {
      case .number: body.append(row.integer(index))
      case .text: body.append(jsonString: row.utf8(index))
      case .json: body.append(row.utf8(index))
      }
    }
    body.append(UInt8(ascii: "}"))
  }
}

extension String {
  /// The text with the replacement character in the place of each NUL.
  fileprivate var withoutNUL: String {
    guard utf8.contains(0) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
  }
}
