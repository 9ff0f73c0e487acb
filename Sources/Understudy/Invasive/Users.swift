import HTTP
import JSON
import SQLite

/// A user of the invasive species app. The password is not part of it: what an answer shows as one
/// is what the caller just sent.
struct InvasiveUser: Sendable {
  let id: Int64
  let username: String
  let realname: String
  let phone: String

  func response(password: String) -> Response {
    let body = ByteBuffer(capacity: 256)
    body.append("{\"iduser\":" as StaticString)
    body.append(id)
    body.append(",\"username\":" as StaticString)
    body.append(jsonString: username)
    body.append(",\"password\":" as StaticString)
    body.append(jsonString: password)
    body.append(",\"realname\":" as StaticString)
    body.append(jsonString: realname)
    body.append(",\"phone\":" as StaticString)
    body.append(jsonString: phone)
    body.append(UInt8(ascii: "}"))
    return Response(type: "application/json", body: .buffer(body), caching: .noStore)
  }
}

/// `/invasive/users`
struct InvasiveUsers {
  let storage: Storage
  let accounts: Accounts

  private static func find(_ name: String, on connection: Connection) throws -> Accounts.Found<InvasiveUser>?
  {
    try connection.row(
      "SELECT id, username, realname, phone, password FROM user WHERE username_nfc = ?1", .text(name)
    ) { row in
      Accounts.Found(
        user: InvasiveUser(
          id: row.integer(0), username: row.text(1), realname: row.text(2), phone: row.text(3)),
        hash: row.text(4))
    }
  }

  func addRoutes(to router: inout Router) {
    router.get("/invasive/users") { [accounts] request in
      try accounts.logIn(request, app: "invasive", find: { try Self.find($1, on: $0) }) { user, password in
        user.response(password: password)
      }
    }
    router.post("/invasive/users") { [self] request in try signUp(request) }
  }

  /// - Parameter hash: the text to store for the password.
  /// - Throws: `SQLiteError`, `notUnique` where the name is taken.
  static func insert(
    _ username: String, hash: String, realname: String, phone: String, on connection: Connection
  ) throws(SQLiteError) {
    try connection.run(
      "INSERT INTO user (username, username_nfc, password, realname, phone) VALUES (?1, ?2, ?3, ?4, ?5)",
      .text(username), .text(username.normalized), .text(hash), .text(realname), .text(phone))
  }

  private func signUp(_ request: Request) throws -> Reply {
    let body = try request.object()
    let username = try body.text("username", mayBeEmpty: false)
    let password = try body.text("password", mayBeEmpty: false)
    let realname = try body.text("realname", default: "")
    let phone = try body.text("phone", default: "")
    let key = try IdempotencyKey(request, limit: storage.idempotencyKeys)
    @Sendable func answer(_ id: Int64) -> Response {
      InvasiveUser(id: id, username: username, realname: realname, phone: phone).response(password: password)
    }
    // What is known before the costly hash is answered before it. The name is looked up first: its
    // row and the key's came at once.
    let connection = try storage.readers.connection()
    if try Self.find(username.normalized, on: connection) != nil {
      guard let id = try key?.row(on: connection) else { throw Accounts.nameTaken(username) }
      return .now(answer(id))
    }
    return accounts.signUp(password: password) { connection, hash in
      let id = try key.once(on: connection) {
        do {
          try Self.insert(username, hash: hash, realname: realname, phone: phone, on: connection)
        } catch SQLiteError.notUnique {
          throw Accounts.nameTaken(username)
        }
        return connection.lastInsertedRow
      }
      guard try connection.row("SELECT 1 FROM user WHERE id = ?1", .integer(id), as: { _ in true }) != nil
      else {
        throw Problem.notFound("The user that this Idempotency-Key made is gone.")
      }
      return answer(id)
    }
  }
}
