import HTTP
import JSON
import SQLite

/// A sighting that is to be recorded.
struct NewObservation: Sendable {
  let user: Int64
  let species: Int64
  let park: Int64
  let comment: String
  let date: String

  /// Reads the body of a POST; all five members have to be there.
  init(_ body: JSONObject) throws(Problem) {
    user = try body.wholeNumber("user")
    species = try body.wholeNumber("species")
    park = try body.wholeNumber("park")
    comment = try body.text("comment", limit: JSONObject.longText)
    date = try body.text("date")
  }

  /// Records it.
  ///
  /// - Returns: its id.
  /// - Throws: `Problem` 422 where it refers to what doesn't exist; `SQLiteError`.
  func insert(on connection: Connection) throws -> Int64 {
    do {
      try connection.run(
        "INSERT INTO observation (user, species, park, comment, date) VALUES (?1, ?2, ?3, ?4, ?5)",
        .integer(user), .integer(species), .integer(park), .text(comment), .text(date))
    } catch SQLiteError.noSuchReference {
      throw try missingReference(on: connection)
    }
    return connection.lastInsertedRow
  }

  private func missingReference(on connection: Connection) throws -> Problem {
    if try connection.row("SELECT 1 FROM user WHERE id = ?1", .integer(user), as: { _ in true }) == nil {
      return .unprocessable("There is no user \(user).")
    }
    if try connection.row("SELECT 1 FROM species WHERE id = ?1", .integer(species), as: { _ in true }) == nil
    {
      return .unprocessable("There is no species \(species).")
    }
    return .unprocessable("There is no park \(park).")
  }
}

/// Which observations a list shows.
private struct Page {
  /// The most rows of a page, when the client doesn't say.
  static let defaultLimit: Int64 = 1000
  static let limits: ClosedRange<Int64> = 1...10_000
  /// A page ends before its body is longer, in bytes.
  static let bytes = 1 << 20

  let user: Int64?
  let species: Int64?
  let park: Int64?
  let limit: Int64
  /// Only rows with a larger id.
  let after: Int64

  init(_ query: Query) throws(Problem) {
    user = try query.wholeNumber("user")
    species = try query.wholeNumber("species")
    park = try query.wholeNumber("park")
    limit = try query.wholeNumber("limit") ?? Self.defaultLimit
    guard Self.limits.contains(limit) else {
      throw .badRequest("The query parameter 'limit' is \(limit): a number from 1 to 10000 is expected.")
    }
    after = try query.wholeNumber("after") ?? 0
  }

  /// The statement whose index serves the filter, of those that there are.
  var sql: StaticString {
    if user != nil {
      return """
        SELECT id, user, species, park, comment, date FROM observation INDEXED BY observation_user
        WHERE user = ?1 AND (?2 IS NULL OR species = ?2) AND (?3 IS NULL OR park = ?3) AND id > ?4
        ORDER BY id LIMIT ?5
        """
    }
    if species != nil {
      return """
        SELECT id, user, species, park, comment, date FROM observation INDEXED BY observation_species
        WHERE ?1 IS NULL AND species = ?2 AND (?3 IS NULL OR park = ?3) AND id > ?4
        ORDER BY id LIMIT ?5
        """
    }
    if park != nil {
      return """
        SELECT id, user, species, park, comment, date FROM observation INDEXED BY observation_park
        WHERE ?1 IS NULL AND ?2 IS NULL AND park = ?3 AND id > ?4
        ORDER BY id LIMIT ?5
        """
    }
    return """
      SELECT id, user, species, park, comment, date FROM observation
      WHERE ?1 IS NULL AND ?2 IS NULL AND ?3 IS NULL AND id > ?4
      ORDER BY id LIMIT ?5
      """
  }

  /// Where the page behind `id` is, with the same filters.
  func next(after id: Int64, origin: String) -> String {
    let filters = [("user", user), ("species", species), ("park", park)].compactMap { name, value in
      value.map { "\(name)=\($0)&" }
    }
    return "\(origin)/invasive/observations?\(filters.joined())limit=\(limit)&after=\(id)"
  }
}

/// `/invasive/observations`
struct ObservationRoutes {
  let storage: Storage
  let origin: PublicOrigin

  func addRoutes(to router: inout Router) {
    router.post("/invasive/observations") { [storage, origin] request in
      let observation = try NewObservation(try request.object())
      let key = try IdempotencyKey(request, limit: storage.idempotencyKeys)
      let collection = origin.of(request) + "/invasive/observations"
      return storage.change { connection in
        try key.once(on: connection) { try observation.insert(on: connection) }
      } answer: {
        .changed($0, in: collection)
      }
    }
    router.get("/invasive/observations") { [self] request in .now(try list(request)) }
    router.get("/invasive/observations/:id") { [storage] request in
      let id = try request.id(orNotFound: "There is no such observation.")
      let body = ByteBuffer(capacity: 512)
      let isFound: Void? = try storage.readers.connection().row(
        "SELECT id, user, species, park, comment, date FROM observation WHERE id = ?1", .integer(id)
      ) { Self.append($0, to: body) }
      guard isFound != nil else { throw Problem.notFound("There is no observation \(id).") }
      return .now(.json(body))
    }
  }

  private func list(_ request: Request) throws -> Response {
    let page = try Page(request.target.query())
    let body = ByteBuffer(capacity: 4096)
    var last: Int64 = 0
    var count: Int64 = 0
    var hasMore = false
    body.append(UInt8(ascii: "["))
    try storage.readers.connection().each(
      page.sql, .integer(page.user), .integer(page.species), .integer(page.park), .integer(page.after),
      .integer(page.limit + 1)
    ) { row in
      // A row more than asked for tells that there is one.
      hasMore = count == page.limit
      guard !hasMore else { return false }
      let start = body.count
      if count > 0 { body.append(UInt8(ascii: ",")) }
      Self.append(row, to: body)
      hasMore = count > 0 && body.count > Page.bytes
      guard !hasMore else {
        body.truncate(to: start)
        return false
      }
      last = row.integer(0)
      count += 1
      return true
    }
    body.append(UInt8(ascii: "]"))
    var response = Response.json(body)
    if hasMore {
      response.fields.append(
        Field("Link", "<\(page.next(after: last, origin: origin.of(request)))>; rel=\"next\""))
    }
    return response
  }

  /// Appends a row of `id, user, species, park, comment, date`.
  private static func append(_ row: borrowing Row, to body: ByteBuffer) {
    body.append("{\"idobservation\":" as StaticString)
    body.append(row.integer(0))
    body.append(",\"user\":" as StaticString)
    body.append(row.integer(1))
    body.append(",\"species\":" as StaticString)
    body.append(row.integer(2))
    body.append(",\"park\":" as StaticString)
    body.append(row.integer(3))
    body.append(",\"comment\":" as StaticString)
    body.append(jsonString: row.utf8(4))
    body.append(",\"date\":" as StaticString)
    body.append(jsonString: row.utf8(5))
    body.append(UInt8(ascii: "}"))
  }
}
