import HTTP
import JSON
import SQLite

/// `/users/invasive` and `/users/directory`, on the control socket. Names come in bodies: in a path they would have
/// to be escaped.
struct UserAccounts {
  let services: Control.Services

  func addRoutes(to router: inout Router) {
    router.get("/users/:app") { [self] request in .now(try list(request)) }
    router.post("/users/:app") { [self] request in
      let table = try UserTable(request)
      return add([try Self.newUser(request.object())], to: table, namesLines: false)
    }
    router.post("/users/:app/roster") { [self] request in
      let table = try UserTable(request)
      return add(try Roster(request.body).users, to: table, namesLines: true)
    }
    router.post("/users/:app/find") { [self] request in
      let table = try UserTable(request)
      let user = try table.user(
        named: try request.object().text("name"), on: services.storage.readers.connection())
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

  private func list(_ request: Request) throws -> Response {
    let table = try UserTable(request)
    let body = ByteBuffer(capacity: 8192)
    body.append("{\"users\":" as StaticString)
    body.append(jsonArray: try table.all(on: services.storage.readers.connection())) {
      $1.append(to: $0, of: table)
    }
    body.append(UInt8(ascii: "}"))
    return Self.answer(body)
  }

  // MARK: Adding

  private static func newUser(_ body: JSONObject) throws(Problem) -> UserTable.NewUser {
    UserTable.NewUser(
      line: 1, name: try body.text("name", mayBeEmpty: false),
      password: body["password"] == nil ? nil : try body.text("password", mayBeEmpty: false),
      realname: try body.text("realname", default: ""), phone: try body.text("phone", default: ""))
  }

  /// Adds all users, or none.
  ///
  /// - Parameter namesLines: whether what is wrong is said with the roster's lines.
  private func add(_ users: [UserTable.NewUser], to table: UserTable, namesLines: Bool) -> Reply {
    services.jobs.reply { [services] completion in
      // What is known before the costly hashes is answered before them.
      let connection = try services.database.reader()
      try Self.requireFree(users, in: table, on: connection, namesLines: namesLines)
      var hashed: [(user: UserTable.NewUser, hash: String, shown: String?)] = []
      for user in users {
        if services.jobs.isClosed { throw Problem.shuttingDown }
        let password = user.password ?? Self.madeUpPassword()
        hashed.append((user, try services.hasher.hash(password), user.password == nil ? password : nil))
      }
      let rows = hashed
      services.storage.change(completion) { connection in
        try Self.requireFree(users, in: table, on: connection, namesLines: namesLines)
        let body = ByteBuffer(capacity: 4096)
        body.append("{\"users\":" as StaticString)
        var added: [(id: Int64, name: String, password: String?)] = []
        for (user, hash, shown) in rows {
          added.append((try table.insert(user, hash: hash, on: connection), user.name, shown))
        }
        body.append(jsonArray: added) { body, user in
          Self.append(id: user.id, name: user.name, password: user.password, to: body)
        }
        body.append(UInt8(ascii: "}"))
        return Self.answer(body)
      }
    }
  }

  /// - Throws: `Problem` 409 that says which names are taken.
  private static func requireFree(
    _ users: [UserTable.NewUser], in table: UserTable, on connection: Connection, namesLines: Bool
  ) throws {
    let taken = try users.filter { try table.hasUser(named: $0.name, on: connection) }
    guard !taken.isEmpty else { return }
    guard namesLines else { throw Accounts.nameTaken(taken[0].name) }
    throw Problem(
      .conflict, Roster.lines(taken.map { ($0.line, "the name '\($0.name)' is taken") }))
  }

  private static func append(id: Int64, name: String, password: String?, to body: ByteBuffer) {
    body.append("{\"id\":" as StaticString)
    body.append(id)
    body.append(",\"name\":" as StaticString)
    body.append(jsonString: name)
    if let password {
      body.append(",\"password\":" as StaticString)
      body.append(jsonString: password)
    }
    body.append(UInt8(ascii: "}"))
  }

  /// A password that is easy to read out: 49 bits, without what looks like something else.
  private static func madeUpPassword() -> String {
    let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
    return String((0..<10).map { _ in letters[Int.random(in: letters.indices)] })
  }

  // MARK: Changing

  private func rename(_ request: Request) throws -> Reply {
    let table = try UserTable(request)
    let body = try request.object()
    let name = try body.text("name")
    let newName = try body.text("new", mayBeEmpty: false)
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
    let given = body["password"] == nil ? nil : try body.text("password", mayBeEmpty: false)
    var changesKey = false
    if case .bool(true)? = body["newKey"] { changesKey = true }
    if changesKey, table == .invasive { throw Problem.unprocessable("The invasive app has no keys.") }
    return services.jobs.reply { [services, changesKey] completion in
      let user = try table.user(named: name, on: services.database.reader())
      let password = given ?? Self.madeUpPassword()
      let hash = try services.hasher.hash(password)
      services.storage.change(completion) { connection in
        // It may have gone meanwhile, and its name to another one.
        guard try table.user(named: name, on: connection).id == user.id else { throw Self.changedMeanwhile }
        try table.setPassword(user.id, hash: hash, on: connection)
        if changesKey { try DirectoryUsers.setNewKey(of: user.id, on: connection) }
        let body = ByteBuffer(capacity: 128)
        Self.append(id: user.id, name: user.name, password: given == nil ? password : nil, to: body)
        return Self.answer(body)
      } committed: {
        if changesKey { services.lists.forget(user.key) }
      }
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
