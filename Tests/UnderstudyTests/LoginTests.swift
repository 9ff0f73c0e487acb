import TestSupport
import Testing

@testable import Understudy

@Suite("Logins and their throttle", .timeLimit(.minutes(1)))
struct LoginTests {
  private let server: LoginServer

  init() throws {
    server = try LoginServer()
    try server.signUp("ada", "secret")
  }

  private func statuses(_ name: String, _ passwords: String..., app: String = "invasive") throws -> [Int] {
    try passwords.map { try server.logIn(name, $0, app: app).status }
  }

  @Test("after wrong passwords even the right one has to wait, and the answer says how long")
  func refused() throws {
    #expect(try statuses("ada", "a", "b", "c") == [401, 401, 401])
    let refused = try server.logIn("ada", "secret")
    #expect(refused.status == 429)
    #expect(refused["Retry-After"] == "1")
    server.clock.advance(seconds: 1)
    #expect(try server.logIn("ada", "secret").status == 200)
  }

  @Test("a right password in between sets the count back")
  func success() throws {
    #expect(try statuses("ada", "a", "b", "secret", "a", "b", "secret") == [401, 401, 200, 401, 401, 200])
  }

  @Test("a name that nobody has is counted too, and answered in the same words")
  func unknown() throws {
    let unknown = try server.logIn("nobody", "a")
    let known = try server.logIn("ada", "a")
    #expect(unknown.status == known.status)
    func detail(_ response: RawResponse) -> Substring? {
      response.text.firstMatch(of: /"detail":"[^"]*"/)?.output
    }
    #expect(detail(unknown) != nil)
    #expect(detail(unknown) == detail(known))
    #expect(try statuses("nobody", "a", "a", "a") == [401, 401, 429])
  }

  @Test("the apps count for themselves, and so do names")
  func separate() throws {
    try server.signUp("bob", "secret")
    _ = try statuses("ada", "a", "b", "c")
    #expect(try statuses("ada", "secret", app: "directory") == [401])
    #expect(try statuses("bob", "secret") == [200])
    #expect(try statuses("ada", "secret") == [429])
  }

  @Test("the two readings of a plus sign are one try")
  func plus() throws {
    try server.signUp("a+b", "p+q")
    #expect(
      try statuses("a+b", "x+y", "x+y", "p+q", "x+y", "x+y", "x+y", "p+q") == [
        401, 401, 200, 401, 401, 401, 429,
      ])
  }

  @Test("a user whose name has a plus sign can't set back the count of one whose name has a space")
  func otherReading() throws {
    try server.signUp("eve+lyn", "mine")
    try server.signUp("eve lyn", "secret")
    #expect(try statuses("eve%20lyn", "a", "b") == [401, 401])
    #expect(try statuses("eve+lyn", "mine") == [200])
    #expect(try statuses("eve%20lyn", "c", "secret") == [401, 429])
  }

  @Test("one name in two normalization forms has one count")
  func normalized() throws {
    try server.signUp("ren\u{E9}", "secret")
    #expect(try statuses("ren%C3%A9", "a", "b") == [401, 401])
    #expect(try statuses("rene%CC%81", "c", "secret") == [401, 429])
  }
}
