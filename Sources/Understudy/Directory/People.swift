import HTTP
import JSON
import SQLite

/// A person as a client posts it: two members of ours, and whatever else the client keeps.
struct NewPerson: Sendable {
  /// The most members.
  static let memberLimit = 64
  /// The most bytes of the body.
  static let byteLimit = 64 << 10

  let name: String
  let office: String
  /// The client's own members, as a JSON object, each as it was written.
  let members: [UInt8]

  /// - Throws: `Problem` 400, or 422 past a limit.
  init(_ request: Request) throws(Problem) {
    let object = try request.object()
    guard request.body.count <= Self.byteLimit else {
      throw .unprocessable("The person has \(request.body.count) bytes: at most \(Self.byteLimit) are taken.")
    }
    guard object.members.count <= Self.memberLimit else {
      throw .unprocessable(
        "The person has \(object.members.count) members: at most \(Self.memberLimit) are taken.")
    }
    name = try object.text("name", default: "")
    office = try object.text("office", default: "", limit: .max)
    let own = object.members.filter { !["id", "name", "office", "user"].contains($0.name) }
    members =
      [UInt8(ascii: "{")]
      + own.map { $0.rawName + [UInt8(ascii: ":")] + $0.value.raw }
      .joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")]
  }
}

/// `/directory/people/<key>`
struct People {
  let storage: Storage
  let origin: PublicOrigin
  /// The lists, by key: an app asks for the same one again and again.
  let lists: ResponseCache

  /// An unknown key, a person that isn't there and a person of another key are told the same.
  private static let notFound = Problem.notFound(
    "There is no such key, or no such person in its directory: log in again for the key, list the people for the ids."
  )

  func addRoutes(to router: inout Router) {
    router.get("/directory/people/:key") { [self] request in .prepared(try list(request)) }
    router.get("/directory/people/:key/:id") { [self] request in .now(try show(request)) }
    router.post("/directory/people/:key") { [self] request in try add(request) }
    router.put("/directory/people/:key/:id") { [self] request in try replace(request) }
    router.delete("/directory/people/:key/:id") { [self] request in try remove(request) }
  }

  private static func key(of request: Request) throws(Problem) -> String {
    guard let key = request.parameter("key") else { throw notFound }
    return key
  }

  private static func id(of request: Request) throws(Problem) -> Int64 {
    try request.id(orNotFound: notFound.detail)
  }

  private func location(of request: Request) throws(Problem) -> String {
    "\(origin.of(request))/directory/people/\(try Self.key(of: request).percentEncoded)"
  }

  // MARK: Reading

  private func list(_ request: Request) throws -> PreparedResponse {
    let key = try Self.key(of: request)
    return try lists.answer(for: key) { try Self.list(of: key, on: storage.readers.connection()) }
  }

  private static func list(of key: String, on connection: Connection) throws -> Response {
    let body = ByteBuffer(capacity: 2048)
    var isKnown = false
    var isFirst = true
    body.append(UInt8(ascii: "["))
    try connection.each(
      """
      SELECT person.id, person.name, person.office, directory_user.id, person.members
      FROM directory_user LEFT JOIN person ON person.user = directory_user.id
      WHERE directory_user.key = ?1 ORDER BY person.id
      """, .text(key)
    ) { row in
      isKnown = true
      // The one row of a directory without people.
      if row.isNull(0) { return true }
      if !isFirst { body.append(UInt8(ascii: ",")) }
      isFirst = false
      append(row, to: body)
      return true
    }
    guard isKnown else { throw notFound }
    body.append(UInt8(ascii: "]"))
    return .json(body)
  }

  private func show(_ request: Request) throws -> Response {
    let body = ByteBuffer(capacity: 512)
    let isFound: Void? = try storage.readers.connection().row(
      """
      SELECT person.id, person.name, person.office, person.user, person.members
      FROM person JOIN directory_user ON directory_user.id = person.user
      WHERE person.id = ?1 AND directory_user.key = ?2
      """, .integer(try Self.id(of: request)), .text(try Self.key(of: request))
    ) { Self.append($0, to: body) }
    guard isFound != nil else { throw Self.notFound }
    return .json(body)
  }

  /// Appends a row of `id, name, office, user, members`.
  static func append(_ row: borrowing Row, to body: ByteBuffer) {
    body.append("{\"id\":" as StaticString)
    body.append(row.integer(0))
    body.append(",\"name\":" as StaticString)
    body.append(jsonString: row.utf8(1))
    body.append(",\"office\":" as StaticString)
    body.append(jsonString: row.utf8(2))
    body.append(",\"user\":" as StaticString)
    body.append(row.integer(3))
    let members = row.utf8(4)
    if members.count > 2 {
      body.append(UInt8(ascii: ","))
      body.append(UnsafeRawBufferPointer(rebasing: members.dropFirst()))
    } else {
      body.append(UInt8(ascii: "}"))
    }
  }

  // MARK: Changing

  private static func user(of key: String, on connection: Connection) throws -> Int64 {
    let user = try connection.row("SELECT id FROM directory_user WHERE key = ?1", .text(key)) {
      $0.integer(0)
    }
    guard let user else { throw notFound }
    return user
  }

  /// Changes the directory of a key.
  ///
  /// - Parameter work: gives the id of the person that it is about.
  private func change(
    _ key: String, at location: String, _ work: @escaping @Sendable (Connection) throws -> Int64
  ) -> Reply {
    storage.change(
      work, committed: { [lists] in lists.forget(key) }, answer: { .changed($0, in: location) })
  }

  private func add(_ request: Request) throws -> Reply {
    let key = try Self.key(of: request)
    // A wrong key is the first thing to know, whatever is wrong with the body too.
    _ = try Self.user(of: key, on: storage.readers.connection())
    let person = try NewPerson(request)
    let idempotencyKey = try IdempotencyKey(request, limit: storage.idempotencyKeys)
    let location = try location(of: request)
    return change(key, at: location) { connection in
      let user = try Self.user(of: key, on: connection)
      return try idempotencyKey.once(on: connection) {
        try connection.run(
          "INSERT INTO person (user, name, office, members) VALUES (?1, ?2, ?3, ?4)",
          .integer(user), .text(person.name), .text(person.office), .utf8(person.members))
        return connection.lastInsertedRow
      }
    }
  }

  private func replace(_ request: Request) throws -> Reply {
    let key = try Self.key(of: request)
    let id = try Self.id(of: request)
    _ = try Self.user(of: key, on: storage.readers.connection())
    let person = try NewPerson(request)
    let location = try location(of: request)
    return change(key, at: location) { connection in
      let user = try Self.user(of: key, on: connection)
      try connection.run(
        "UPDATE person SET name = ?3, office = ?4, members = ?5 WHERE id = ?1 AND user = ?2",
        .integer(id), .integer(user), .text(person.name), .text(person.office), .utf8(person.members))
      guard connection.changedRows == 1 else { throw Self.notFound }
      return id
    }
  }

  private func remove(_ request: Request) throws -> Reply {
    let key = try Self.key(of: request)
    let id = try Self.id(of: request)
    let location = try location(of: request)
    return change(key, at: location) { connection in
      let user = try Self.user(of: key, on: connection)
      try connection.run("DELETE FROM person WHERE id = ?1 AND user = ?2", .integer(id), .integer(user))
      guard connection.changedRows == 1 else { throw Self.notFound }
      return id
    }
  }
}
