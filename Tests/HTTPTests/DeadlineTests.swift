import TestSupport
import Testing
import Threads

@testable import HTTP

@Suite("Deadlines", .timeLimit(.minutes(1)))
struct DeadlineTests {
  /// A server on which a request may take a second to arrive.
  private func server(idleSeconds: Int = 60, _ suspended: SuspendedRequests = .init()) throws -> RunningServer
  {
    try RunningServer { configuration in
      configuration.limits.requestSeconds = 1
      configuration.limits.idleSeconds = idleSeconds
    } routes: { router in
      router.post("/") { _ in .now(.text("done")) }
      router.get("/slow", suspended.handler)
    }
  }

  /// Ways to take for ever: what is sent at once, and what is sent a byte at a time after it.
  private static let slow = [
    ("", "GET /"), ("GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ", "x"),
    ("GET / HTTP/1.1\r\nHost: a\r\n", "X-Slow: x\r\n"),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n", "x"),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"), ("\r\n", "\r\n"),
  ]

  /// Lets clients trickle beside each other.
  private func trickle(to port: UInt16, _ ways: [(start: String, pattern: String)]) throws -> [TricklingClient
    .Outcome]
  {
    let outcomes = Condition<[Int: TricklingClient.Outcome]>([:])
    let threads = try ways.enumerated().map { index, way in
      let client = try TricklingClient(port: port)
      return try Thread {
        let outcome = client.trickle(after: way.start, way.pattern)
        outcomes.withLock { $0[index] = outcome }
      }
    }
    for thread in threads { thread.join() }
    return outcomes.withLock { outcomes in ways.indices.compactMap { outcomes[$0] } }
  }

  @Test(
    "a client that sends a byte now and then is cut, in the header or in the body, and so is a silent one")
  func slowRequests() throws {
    let server = try server()
    let silent = try server.client()
    for (way, outcome) in zip(Self.slow, try trickle(to: server.port, Self.slow)) {
      #expect(outcome.isClosed, "after \(way)")
      #expect(!outcome.received.contains("200"), "after \(way)")
    }
    #expect(silent.isClosedByServer())
  }

  @Test("an idle connection is closed, and a slow second request is no way to keep it")
  func idle() throws {
    let server = try server(idleSeconds: 1)
    let first = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
    let client = try server.client()
    try client.send(first)
    #expect(try client.response().status == 200)
    for outcome in try trickle(to: server.port, [(first, "GET /"), (first, "\r\n")]) {
      #expect(outcome.isClosed)
      #expect(outcome.received.hasPrefix("HTTP/1.1 200"))
    }
    #expect(client.isClosedByServer())
  }

  @Test("a request that the server itself is slow to answer isn't cut")
  func slowAnswer() throws {
    let suspended = SuspendedRequests()
    let server = try server(idleSeconds: 1, suspended)
    let client = try server.client()
    try client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
    let completions = suspended.take(1)
    // A connection that comes later is cut for its slowness, so that this one would have been too.
    #expect(try TricklingClient(port: server.port).trickle(after: "", "x").isClosed)
    completions[0].succeed(.text("at last"))
    #expect(try client.response().text == "at last")
  }

  @Test("a client that leaves in the middle of a request is let go of long before its time is over")
  func left() throws {
    let server = try RunningServer { router in
      router.post("/") { _ in .now(.text("done")) }
      router.get("/large") { _ in .now(.text(String(repeating: "x", count: 8 << 20))) }
    }
    // One that has said all that it has to say, and doesn't read yet.
    let patient = try server.client()
    try patient.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
    patient.finishSending()
    // Data and the end together are what libmicrohttpd can miss.
    let clients = try (0..<100).map { number in
      let client = try server.client()
      try client.send(
        number % 2 == 0 ? "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx" : "GET / HT")
      client.finishSending()
      return client
    }
    for client in clients { #expect(client.isClosedByServerInTheEnd()) }
    #expect(try patient.response().body.count == 8 << 20)
  }
}
