import HTTP
import SQLite
import TestSupport

@testable import Understudy

/// Sign-ups and logins alone, with a throttle of three tries whose clock stands still.
final class LoginServer {
  let clock = StoppedClock()
  private let folder: TemporaryFolder
  private let hasher: PasswordHasher
  private let writer: Writer
  private let server: Server
  private let port: UInt16

  init() throws {
    folder = try TemporaryFolder()
    let database = try Database(path: folder.path("test.sqlite"), schema: Storage.schema)
    writer = try Writer(connection: try database.writer(), queueLimit: 100)
    hasher = try PasswordHasher(threads: 1, queueLimit: 100)
    let storage = Storage(readers: Readers(database), writer: writer, idempotencyKeys: 100)
    let throttle = LoginThrottle(.init(tries: 3), now: { [clock] in clock.now })
    let accounts = Accounts(storage: storage, hasher: hasher, throttle: throttle)
    var router = Router()
    InvasiveUsers(storage: storage, accounts: accounts).addRoutes(to: &router)
    DirectoryUsers(storage: storage, accounts: accounts).addRoutes(to: &router)
    let socket = try ListeningSocket.listen(host: "127.0.0.1", port: 0)
    port = socket.address.port
    server = try Server(socket, .init(), router: router, middleware: [])
  }

  deinit {
    hasher.close(dropping: true)
    server.stop()
    writer.close()
  }

  private func answer(_ request: String) throws -> RawResponse {
    let client = try RawClient(port: port)
    try client.send(request)
    return try client.response()
  }

  /// Signs a user of the invasive species app up.
  func signUp(_ name: String, _ password: String) throws {
    let body = #"{"username":"\#(name)","password":"\#(password)"}"#
    let response = try answer(ApplicationUnderTest.post("/invasive/users", body))
    guard response.status == 200 else { throw Problem(.internalServerError, response.text) }
  }

  /// Tries to log in; name and password as the query has them.
  func logIn(_ name: String, _ password: String, app: String = "invasive") throws -> RawResponse {
    try answer("GET /\(app)/users?user=\(name)&password=\(password) HTTP/1.1\r\nHost: a\r\n\r\n")
  }
}
