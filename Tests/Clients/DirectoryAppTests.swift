import Apps
import Foundation
import Testing
import UnderstudyTesting

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
