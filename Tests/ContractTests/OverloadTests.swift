import Foundation
import TestSupport
import Testing
import UnderstudyTesting

/// "503 with Retry-After, overloaded or shutting down."
@Suite("Overload")
struct OverloadTests {
  private func checkUnavailable(_ response: RawResponse) {
    #expect(response.status == 503)
    #expect(response["Retry-After"].flatMap { Int($0) } ?? 0 >= 1)
    EveryAnswer.check(response, method: "POST", target: "", #_sourceLocation)
  }

  @Test("more passwords than may wait are refused")
  func passwords() throws {
    let server = try TestServer { $0.passwordQueue = 0 }
    defer { server.stop() }
    checkUnavailable(try server.answer("POST /invasive/users", #"{"username":"a","password":"p"}"#))
    checkUnavailable(try server.answer("POST /directory/users", #"{"name":"a","password":"p"}"#))
    checkUnavailable(try server.answer("GET /invasive/users?user=a&password=p"))
  }

  @Test("more changes than may wait are refused")
  func changes() throws {
    let server = try TestServer { $0.writerQueue = 0 }
    defer { server.stop() }
    checkUnavailable(try server.answer("POST /invasive/observations", sighting(user: "1")))
    checkUnavailable(try server.answer("POST /invasive/users", #"{"username":"a","password":"p"}"#))
    #expect(try server.answer("GET /invasive/observations").text == "[]")
  }

  @Test("more bytes than may be in memory are refused, and the next request is served")
  func bytes() throws {
    let server = try TestServer { $0.server.limits.bytesInFlight = 10_000 }
    defer { server.stop() }
    checkUnavailable(try server.answer("POST /invasive/observations", " ".times(20_000)))
    #expect(try server.answer("POST /invasive/observations", " ").status == 400)
  }

  @Test("a list of people counts among the bytes in memory")
  func people() throws {
    let server = try TestServer {
      ($0.server.limits.bytesInFlight, $0.server.limits.connections) = (40_000, 64)
    }
    defer { server.stop() }
    let key = try server.answer("POST /directory/users", #"{"name":"a","password":"p"}"#).text
    let person = #"{"name":"\#("x".times(100))","office":"\#("y".times(6000))"}"#
    for number in 1...4 {
      #expect(try server.answer("POST /directory/people/\(key)", person).status == 200)
      // There is room for two beside the request before, which may just be ending, and for four there isn't.
      if number <= 2 { #expect(try server.answer("GET /directory/people/\(key)").status == 200) }
    }
    checkUnavailable(try server.answer("GET /directory/people/\(key)"))
  }

  @Test("a server that shuts down answers what it has begun, and refuses what comes", .timeLimit(.minutes(1)))
  func shuttingDown() throws {
    let server = try TestServer()
    let begun = try RawClient(port: server.port)
    let (busy, idle) = (try RawClient(port: server.port), try RawClient(port: server.port))
    #expect(try idle.answer("GET /invasive/parks/1", port: server.port).status == 200)
    // Told to go on, the client knows that the server has begun.
    try begun.send(
      Wire.message("POST /invasive/observations", nil, with: ["Content-Length: 2", "Expect: 100-continue"])
        .replacing("{host}", with: "h"))
    #expect(try begun.response().status == 100)
    // A thread of its own: this test's waits, which a small machine has no second one for.
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      server.stop()
      end.signal()
    }
    // The end has begun when an answer, 200 or 503, is a connection's last.
    while try busy.answer("GET /invasive/parks/1", port: server.port)["Connection"] != "close" {}
    #expect(busy.isClosedByServer())
    checkUnavailable(try idle.answer("GET /invasive/parks/1", port: server.port))
    #expect(idle.isClosedByServer())
    #expect(try RawClient(port: server.port).isClosedByServer())
    try begun.send("{}")
    #expect(try begun.response().status == 400)
    end.wait()
  }
}
