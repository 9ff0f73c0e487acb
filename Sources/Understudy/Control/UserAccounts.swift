import HTTP
import JSON
import SQLite

/// `/users/invasive` and `/users/directory`, on the control socket. Names come in bodies: in a path they would have
/// to be escaped.
///
/// Passwords come hashed: whoever asks has done that, and has shown those that it made up, before anything is changed.
struct UserAccounts {
  let services: Control.Services

  /// The most users in an answer.
  private static let piece: Int64 = 1000

  func addRoutes(to router: inout Router) {
    router.get("/users/:app") { [self] request in .now(try list(request)) }
    router.post("/users/:app") { [self] request in try add(request) }
    router.post("/users/:app/check") { [self] request in
      let table = try UserTable(request)
      let user = try Self.newUser(request.object())
      if let defect = user.name.defectAsName { throw Self.refused(name: user.name, defect) }
      return .now(try requireFree([user], in: table))
    }
    router.post("/users/:app/roster") { [self] request in
      let table = try UserTable(request)
      let body = request.body
      // Reading a long one takes its time.
      return services.jobs.reply { completion in
        completion.succeed(try check(Roster(body, for: table), for: table))
      }
    }
    router.post("/users/:app/find") { [self] request in
      let table = try UserTable(request)
      let body = try request.object()
      let user = try table.user(named: body.text("name"), on: services.storage.readers.connection())
      // The one that it is to get, where it is known already.
      if body["password"] != nil { _ = try body.text("password", mayBeEmpty: false) }
      return .now(Self.answer(user, of: table))
    }
    router.post("/users/:app/rename") { [self] request in try rename(request) }
    router.post("/users/:app/password") { [self] request in try setPassword(request) }
    router.post("/users/:app/delete") { [self] request in try delete(request) }
  }

  private static func answer(_ body: ByteBuffer) -> Response {
    Response(type: "application/json", body: .buffer(body), caching: .noStore)
  }

  private static func answer(_ user: UserTable.User, of table: UserTable) -> Response {
    let body = ByteBuffer(capacity: 256)
    user.append(to: body, of: table)
    return answer(body)
  }

  /// A piece of the list; each but the last names the next one in its `Link` field.
  private func list(_ request: Request) throws -> Response {
    let table = try UserTable(request)
    let id = try request.target.query().wholeNumber("after") ?? 0
    let users = try table.users(
      after: id, limit: Self.piece, on: services.storage.readers.connection())
    let body = ByteBuffer(capacity: 8192)
    body.append("{\"users\":" as StaticString)
    body.append(jsonArray: users) { $1.append(to: $0, of: table) }
    body.append(UInt8(ascii: "}"))
    var answer = Self.answer(body)
    if users.count == Self.piece, let last = users.last {
      answer.fields.append(Field("Link", "</users/\(table.rawValue)?after=\(last.id)>; rel=\"next\""))
    }
    return answer
  }

  // MARK: Adding

  private static func newUser(_ body: JSONObject) throws(Problem) -> UserTable.NewUser {
    UserTable.NewUser(
      line: body["line"] == nil ? 0 : Int(clamping: try body.wholeNumber("line")),
      name: try body.text("name", mayBeEmpty: false),
      password: body["password"] == nil ? nil : try body.text("password", mayBeEmpty: false),
      realname: try body.text("realname", default: ""), phone: try body.text("phone", default: ""))
  }

  /// - Throws: `Problem` 422, or 409 where names that are taken are all that is wrong: every line that is.
  private func check(_ roster: Roster, for table: UserTable) throws -> Response {
    let connection = try services.database.reader()
    let taken = try Self.taken(roster.users, in: table, on: connection)
    guard roster.mistakes.isEmpty, taken.isEmpty else {
      throw Problem(
        roster.mistakes.isEmpty ? .conflict : .unprocessableContent, Roster.lines(roster.mistakes + taken))
    }
    return Self.answer(roster.users, notes: roster.notes)
  }

  /// - Throws: `Problem` 409 where the name is taken.
  private func requireFree(_ users: [UserTable.NewUser], in table: UserTable) throws -> Response {
    try Self.requireFree(users, in: table, on: services.storage.readers.connection())
    return Self.answer(users, notes: [])
  }

  /// Those that can be added.
  private static func answer(_ users: [UserTable.NewUser], notes: [String]) -> Response {
    let body = ByteBuffer(capacity: 4096)
    body.append("{\"users\":" as StaticString)
    body.append(jsonArray: users) { $1.append(to: $0) }
    body.append(",\"notes\":" as StaticString)
    body.append(jsonArray: notes) { $0.append(jsonString: $1) }
    body.append(UInt8(ascii: "}"))
    return answer(body)
  }

  /// Adds all users, or none.
  private func add(_ request: Request) throws -> Reply {
    let table = try UserTable(request)
    guard case .array(let raw)? = try request.object()["users"],
      let elements = try? JSONReader.elements(of: raw)
    else { throw Problem.badRequest("The body's member 'users' is not the array that is expected.") }
    let rows = try elements.map { element throws(Problem) in
      guard case .object(let raw) = element, let object = try? JSONReader.object(in: Array(raw)) else {
        throw .badRequest("One of the 'users' is \(element.kind): an object is expected.")
      }
      return (user: try Self.newUser(object), hash: try Self.hash(object))
    }
    return services.storage.change { connection in
      try Self.requireFree(rows.map(\.user), in: table, on: connection)
      for (user, hash) in rows { _ = try table.insert(user, hash: hash, on: connection) }
      let body = ByteBuffer(capacity: 32)
      body.append("{\"added\":" as StaticString)
      body.append(Int64(rows.count))
      body.append(UInt8(ascii: "}"))
      return Self.answer(body)
    }
  }

  private static func hash(_ body: JSONObject) throws(Problem) -> String {
    let hash = try body.text("hash")
    guard PasswordHasher.isHash(hash) else {
      throw .badRequest("The body's member 'hash' is not what is stored for a password.")
    }
    return hash
  }

  private static func taken(
    _ users: [UserTable.NewUser], in table: UserTable, on connection: Connection
  ) throws -> [Roster.Mistake] {
    try users.filter { try table.hasUser(named: $0.name, on: connection) }.map {
      ($0.line, "the name '\($0.name)' is taken")
    }
  }

  /// - Throws: `Problem` 409 that says which names are taken.
  private static func requireFree(
    _ users: [UserTable.NewUser], in table: UserTable, on connection: Connection
  ) throws {
    let taken = try taken(users, in: table, on: connection)
    guard !taken.isEmpty else { return }
    guard taken[0].line > 0 else { throw Accounts.nameTaken(users[0].name) }
    throw Problem(.conflict, Roster.lines(taken))
  }

  private static func refused(name: String, _ defect: String) -> Problem {
    .unprocessable("The name '\(name)' can't be taken: \(defect).")
  }

  // MARK: Changing

  private func rename(_ request: Request) throws -> Reply {
    let table = try UserTable(request)
    let body = try request.object()
    let name = try body.text("name")
    let newName = try body.text("new", mayBeEmpty: false)
    if let defect = newName.defectAsName { throw Self.refused(name: newName, defect) }
    return services.storage.change { connection in
      let user = try table.user(named: name, on: connection)
      do {
        try table.rename(user.id, to: newName, on: connection)
      } catch SQLiteError.notUnique {
        throw Problem(.conflict, "The name '\(newName)' is taken: choose another one.")
      }
      return Self.answer(try table.user(named: newName, on: connection), of: table)
    }
  }

  private func setPassword(_ request: Request) throws -> Reply {
    let table = try UserTable(request)
    let body = try request.object()
    let name = try body.text("name")
    let id = try body.wholeNumber("id")
    let hash = try Self.hash(body)
    var changesKey = false
    if case .bool(true)? = body["newKey"] { changesKey = true }
    if changesKey, table == .invasive { throw Problem.unprocessable("The invasive app has no keys.") }
    let key = try table.user(named: name, on: services.storage.readers.connection()).key
    return services.storage.change { [changesKey] connection in
      let user = try table.user(named: name, on: connection)
      // It may have gone meanwhile, and its name to another one.
      guard user.id == id else { throw Self.changedMeanwhile }
      try table.setPassword(user.id, hash: hash, on: connection)
      if changesKey { try DirectoryUsers.setNewKey(of: user.id, on: connection) }
      return Self.answer(user, of: table)
    } committed: { [services, changesKey] in
      if changesKey { services.lists.forget(key) }
    }
  }

  private static let changedMeanwhile = Problem(
    .conflict, "The user was changed by somebody else meanwhile: look, and try again.")

  /// Deletes a user with all that it has, if that isn't more than whoever asks for it knows of.
  private func delete(_ request: Request) throws -> Reply {
    let table = try UserTable(request)
    let body = try request.object()
    let name = try body.text("name")
    let id = try body.wholeNumber("id")
    let known = try body.wholeNumber("possessions")
    let user = try table.user(named: name, on: services.storage.readers.connection())
    return services.storage.change { connection in
      let user = try table.user(named: name, on: connection)
      guard user.id == id else { throw Self.changedMeanwhile }
      guard user.possessions <= known else {
        throw Problem(
          .conflict,
          "'\(user.name)' has \(table.possessions(user.possessions)) by now: nothing was deleted, do it again."
        )
      }
      try table.delete(id, on: connection)
      return Self.answer(user, of: table)
    } committed: { [services] in
      services.lists.forget(user.key)
    }
  }
}
