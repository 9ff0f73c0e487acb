import Foundation
import Testing
import UnderstudyTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The directory app's calls, made as the app makes them: the key is the body, read as text.
private struct DirectoryApp {
  struct Person: Codable, Equatable {
    var id: Int
    var name: String
    var office: String
  }

  struct StoredPerson: Codable {
    let id: Int
    let name: String
    let office: String
    let user: Int
  }

  struct Account: Codable {
    let name: String
    let password: String
  }

  struct Refused: Error {
    let status: Int
  }

  let base: String

  func key(_ request: URLRequest, body: Data? = nil) async throws -> String {
    String(decoding: try await send(request, body: body), as: UTF8.self)
  }

  func signUp(_ account: Account) async throws -> String {
    try await key(request("POST", "/directory/users"), body: try JSONEncoder().encode(account))
  }

  func logIn(_ account: Account) async throws -> String {
    try await key(request("GET", "/directory/users?user=\(account.name)&password=\(account.password)"))
  }

  func people(_ key: String) async throws -> [StoredPerson] {
    try JSONDecoder().decode(
      [StoredPerson].self, from: try await send(request("GET", "/directory/people/\(key)")))
  }

  func request(_ method: String, _ path: String) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: base + path)))
    request.httpMethod = method
    return request
  }

  func send(_ request: URLRequest, body: Data? = nil) async throws -> Data {
    let (data, response) =
      if let body {
        try await URLSession.shared.upload(for: request, from: body)
      } else {
        try await URLSession.shared.data(for: request)
      }
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard status == 200 else { throw Refused(status: status) }
    return data
  }
}

@Suite("the directory app")
struct DirectoryAppTests {
  private let server: TestServer
  private let app: DirectoryApp

  init() throws {
    server = try TestServer()
    app = DirectoryApp(base: server.url)
  }

  @Test("gets the same key from a sign-up and every login")
  func keys() async throws {
    let account = DirectoryApp.Account(name: "ada", password: "correct-horse")
    let key = try await app.signUp(account)
    #expect(UInt128(key) != nil)
    #expect(try await app.logIn(account) == key)
    #expect(try await app.people(key).isEmpty)
  }

  @Test("adds, shows, changes and removes people, each user its own")
  func people() async throws {
    let key = try await app.signUp(.init(name: "grace", password: "one"))
    let other = try await app.signUp(.init(name: "alan", password: "two"))
    var ids: [Int] = []
    for number in 1...3 {
      let person = DirectoryApp.Person(id: 0, name: "Person \(number)", office: "Room \(number)")
      let answer = try await app.send(
        app.request("POST", "/directory/people/\(key)"), body: try JSONEncoder().encode(person))
      ids.append(try #require(Int(String(decoding: answer, as: UTF8.self))))
    }
    #expect(try await app.people(key).map(\.id) == ids)
    #expect(try await app.people(other).isEmpty)

    let changed = DirectoryApp.Person(id: ids[1], name: "Somebody Else", office: "The Attic")
    _ = try await app.send(
      app.request("PUT", "/directory/people/\(key)/\(ids[1])"), body: try JSONEncoder().encode(changed))
    let shown = try JSONDecoder().decode(
      DirectoryApp.Person.self,
      from: try await app.send(app.request("GET", "/directory/people/\(key)/\(ids[1])")))
    #expect(shown == changed)

    _ = try await app.send(app.request("DELETE", "/directory/people/\(key)/\(ids[0])"))
    #expect(try await app.people(key).map(\.id) == Array(ids.dropFirst()))

    let foreign = await #expect(throws: DirectoryApp.Refused.self) {
      try await app.send(app.request("DELETE", "/directory/people/\(other)/\(ids[1])"))
    }
    #expect(foreign?.status == 404)
    let gone = await #expect(throws: DirectoryApp.Refused.self) {
      try await app.send(app.request("DELETE", "/directory/people/\(key)/\(ids[0])"))
    }
    #expect(gone?.status == 404)
  }

  @Test("is told 401 for a wrong password")
  func wrongPassword() async throws {
    _ = try await app.signUp(.init(name: "edsger", password: "right"))
    let refused = await #expect(throws: DirectoryApp.Refused.self) {
      try await app.logIn(.init(name: "edsger", password: "wrong"))
    }
    #expect(refused?.status == 401)
  }
}
