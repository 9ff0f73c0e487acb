import HTTP
import JSON
import SQLite

/// `/directory/users`: a sign-up and a login both give the user's key, as bare digits.
struct DirectoryUsers {
  let storage: Storage
  let accounts: Accounts

  private static func find(_ name: String, on connection: Connection) throws -> Accounts.Found<String>? {
    try connection.row("SELECT key, password FROM directory_user WHERE name_nfc = ?1", .text(name)) { row in
      Accounts.Found(user: row.text(0), hash: row.text(1))
    }
  }

  /// A new key: 128 random bits as a decimal number. Digits alone are the same text to a client
  /// that reads text and to one that reads JSON.
  private static func newKey() -> String {
    var generator = SystemRandomNumberGenerator()
    return String(UInt128(generator.next()) << 64 | UInt128(generator.next()))
  }

  private static func response(key: String, asJSON: Bool) -> Response {
    let body = ByteBuffer(capacity: 64)
    if asJSON { body.append(jsonString: key) } else { body.append(key) }
    return Response(type: asJSON ? "application/json" : "text/plain", body: .buffer(body), caching: .noStore)
  }

  func addRoutes(to router: inout Router) {
    router.get("/directory/users") { [accounts] request in
      let asJSON = request.acceptsJSON
      return try accounts.logIn(request, app: "directory", find: { try Self.find($1, on: $0) }) { key, _ in
        Self.response(key: key, asJSON: asJSON)
      }
    }
    router.post("/directory/users") { [self] request in try signUp(request) }
  }

  /// - Parameter hash: the text to store for the password.
  /// - Throws: `SQLiteError`, `notUnique` where the name is taken.
  static func insert(_ name: String, hash: String, on connection: Connection) throws(SQLiteError) {
    try connection.run(
      "INSERT INTO directory_user (name, name_nfc, password, key) VALUES (?1, ?2, ?3, ?4)",
      .text(name), .text(name.normalized), .text(hash), .text(newKey()))
  }

  /// Gives a user another key; what names the old one is refused from then on.
  static func setNewKey(of id: Int64, on connection: Connection) throws(SQLiteError) {
    try connection.run("UPDATE directory_user SET key = ?2 WHERE id = ?1", .integer(id), .text(newKey()))
  }

  private func signUp(_ request: Request) throws -> Reply {
    let body = try request.object()
    // The course's clients don't agree on what the name is called.
    let member = ["name", "username", "user"].first { body[$0] != nil } ?? "name"
    let name = try body.text(member, mayBeEmpty: false)
    let password = try body.text("password", mayBeEmpty: false)
    let idempotencyKey = try IdempotencyKey(request, limit: storage.idempotencyKeys)
    let asJSON = request.acceptsJSON
    @Sendable func answer(_ id: Int64, on connection: Connection) throws -> Response {
      let key = try connection.row("SELECT key FROM directory_user WHERE id = ?1", .integer(id)) {
        $0.text(0)
      }
      guard let key else { throw Problem.notFound("The user that this Idempotency-Key made is gone.") }
      return Self.response(key: key, asJSON: asJSON)
    }
    let connection = try storage.readers.connection()
    if try Self.find(name.normalized, on: connection) != nil {
      guard let id = try idempotencyKey?.row(on: connection) else { throw Accounts.nameTaken(name) }
      return .now(try answer(id, on: connection))
    }
    return accounts.signUp(password: password) { connection, hash in
      let id = try idempotencyKey.once(on: connection) {
        do {
          try Self.insert(name, hash: hash, on: connection)
        } catch SQLiteError.notUnique {
          throw Accounts.nameTaken(name)
        }
        return connection.lastInsertedRow
      }
      return try answer(id, on: connection)
    }
  }
}
