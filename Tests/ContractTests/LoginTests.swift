import TestSupport
import Testing
import Understudy
import UnderstudyTesting

/// "After 10 wrong passwords in a row the next try is refused with 429 and Retry-After: 1; when the wait
/// is over one try is checked, and each failure doubles the wait up to 60 s; a right password resets it."
@Suite("Bad logins")
struct LoginTests {
  /// Waits are over when a test says so, however slow the machine is.
  private let clock = StoppedClock()

  private func start(_ configure: (inout Application.Options) -> Void = { _ in }) throws -> TestServer {
    try TestServer { options in
      options.clock = { [clock] in clock.now }
      configure(&options)
    }
  }

  private func logIn(
    _ server: TestServer, _ app: String = "invasive", _ user: String = "ada", _ password: String = "wrong",
    from address: String? = nil
  ) throws -> RawResponse {
    let response = try server.answer(
      "GET /\(app)/users?user=\(user)&password=\(password)",
      with: address.map { ["X-Forwarded-For: \($0)"] } ?? [])
    EveryAnswer.check(response, method: "GET", target: "/\(app)/users", #_sourceLocation)
    return response
  }

  /// The statuses of as many wrong tries.
  private func fail(
    _ server: TestServer, _ app: String = "invasive", _ user: String = "ada", times: Int,
    from address: String? = nil
  ) throws -> [Int] {
    try (0..<times).map { _ in try logIn(server, app, user, from: address).status }
  }

  /// Tries until the wait is over.
  private func logInAfterWait(_ server: TestServer, _ password: String) throws -> RawResponse {
    while true {
      let response = try logIn(server, "invasive", "ada", password)
      if response.status != 429 { return response }
      clock.advance(seconds: 1)
    }
  }

  @Test("the eleventh try is refused, a right one too, and checked after a second", .timeLimit(.minutes(1)))
  func eleventh() throws {
    let server = try start()
    defer { server.stop() }
    _ = try server.addUser("ada")
    #expect(try fail(server, times: 10) == Array(repeating: 401, count: 10))
    let refused = try logIn(server)
    #expect(refused.status == 429)
    #expect(refused["Retry-After"] == "1")
    #expect(try logIn(server, "invasive", "ada", "p").status == 429)
    // The other app's users, and other names, aren't held up.
    #expect(try logIn(server, "directory").status == 401)
    #expect(try logIn(server, "invasive", "grace").status == 401)
    #expect(try logInAfterWait(server, "p").status == 200)
    #expect(try fail(server, times: 2) == [401, 401])
  }

  @Test("each failure after a wait doubles it, up to a limit", .timeLimit(.minutes(1)))
  func doubling() throws {
    let server = try start { $0.loginTries = 2 }
    let limited = try start {
      $0.loginTries = 2
      $0.loginLongestWait = 1
    }
    defer {
      server.stop()
      limited.stop()
    }
    for server in [server, limited] { #expect(try fail(server, times: 3) == [401, 401, 429]) }
    for server in [server, limited] { #expect(try logInAfterWait(server, "wrong").status == 401) }
    #expect(try logIn(server)["Retry-After"] == "2")
    #expect(try logIn(limited)["Retry-After"] == "1")
  }

  @Test("a right password resets the count")
  func reset() throws {
    let server = try start { $0.loginTries = 3 }
    defer { server.stop() }
    _ = try server.addUser("ada")
    for _ in 0..<3 {
      #expect(try fail(server, times: 2) == [401, 401])
      #expect(try logIn(server, "invasive", "ada", "p").status == 200)
    }
    #expect(try fail(server, times: 4) == [401, 401, 401, 429])
  }

  @Test("unknown names are counted")
  func unknownNames() throws {
    let server = try start { $0.loginTries = 2 }
    defer { server.stop() }
    for app in ["invasive", "directory"] {
      #expect(try fail(server, app, "nobody", times: 3) == [401, 401, 429])
    }
  }

  @Test("names that are the same after normalization are counted together")
  func normalization() throws {
    let server = try start { $0.loginTries = 2 }
    defer { server.stop() }
    #expect(try logIn(server, "invasive", "Zo%C3%AB").status == 401)
    #expect(try logIn(server, "invasive", "Zoe%CC%88").status == 401)
    #expect(try logIn(server, "invasive", "Zo%C3%AB").status == 429)
  }

  @Test("the two readings of a plus sign count as one try")
  func plusSign() throws {
    let server = try start { $0.loginTries = 3 }
    defer { server.stop() }
    _ = try server.addUser("ada", password: "a b")
    let tries = try (0..<2).map { _ in try logIn(server, "invasive", "ada", "x+y").status }
    #expect(tries == [401, 401])
    #expect(try logIn(server, "invasive", "ada", "a+b").status == 200)
    let more = try (0..<4).map { _ in try logIn(server, "invasive", "ada", "x+y").status }
    #expect(more == [401, 401, 401, 429])
  }

  @Test("counted by address; a looser count covers many addresses")
  func addresses() throws {
    let server = try start {
      $0.server.trustedProxies = [.init("127.0.0.0/8")!]
      $0.loginTries = 2
      $0.loginTriesFromAnywhere = 5
    }
    defer { server.stop() }
    #expect(try fail(server, times: 3, from: "192.0.2.1") == [401, 401, 429])
    #expect(try fail(server, times: 3, from: "192.0.2.2") == [401, 401, 429])
    #expect(try fail(server, times: 1, from: "192.0.2.3") == [401])
    #expect(try fail(server, times: 1, from: "192.0.2.4") == [429])
    #expect(try fail(server, "directory", times: 1, from: "192.0.2.4") == [401])
    #expect(try fail(server, "invasive", "grace", times: 2, from: "192.0.2.1") == [401, 401])
  }

  @Test("a class behind one address isn't held up by many wrong names")
  func sharedAddress() throws {
    let server = try start()
    defer { server.stop() }
    for student in 0..<30 { #expect(try logIn(server, "invasive", "student-\(student)").status == 401) }
  }
}
