import TestSupport
import Testing
import Threads

@testable import HTTP

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Limits", .timeLimit(.minutes(1)))
struct LimitTests {
  private func post(_ count: Int, chunked: Bool = false) -> String {
    let body = String(repeating: "x", count: count)
    return chunked
      ? "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(String(count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
      : "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n\(body)"
  }

  /// A server that tells how many bytes it has in memory, its own request's body among them.
  private func server(_ configure: (inout Server.Limits) -> Void) throws -> RunningServer {
    let running = Condition(Running())
    let count: Handler = { request in
      let bytes = running.withLock { $0.server?.bytesInFlight } ?? -1
      return .now(.text("\(request.body.count) of \(bytes)"))
    }
    let server = try RunningServer {
      configure(&$0.limits)
    } routes: { router in
      router.post("/", count)
      router.get("/", count)
      router.get("/large") { _ in .now(.text(String(repeating: "x", count: 5000))) }
    }
    running.withLock { $0.server = server.server }
    return server
  }

  /// The server that a handler of its own asks; it holds its handlers, and they don't hold it.
  private struct Running {
    weak var server: Server?
  }

  @Test(
    "a body over the limit is 413, announced or not, and the connection goes on", arguments: [false, true])
  func body(chunked: Bool) throws {
    let server = try server { $0.body = 1000 }
    let client = try server.client()
    for (count, status) in [(1000, 200), (1001, 413), (100_000, 413), (1000, 200)] {
      try client.send(post(count, chunked: chunked))
      let response = try client.response()
      #expect(response.status == status)
      if status == 200 { #expect(response.text == "1000 of 1000") }
    }
  }

  @Test("a body that there is no memory for is 503, later one is taken", arguments: [false, true])
  func bytesInFlight(chunked: Bool) throws {
    let server = try server { $0.bytesInFlight = 2000 }
    let client = try server.client()
    try client.send(post(100_000, chunked: chunked))
    let refused = try client.response()
    #expect(refused.status == 503)
    #expect(refused["Retry-After"] != nil)
    try client.send(post(1000, chunked: chunked))
    #expect(try client.response().text == "1000 of 1000")
  }

  @Test("what there was of a body that is refused is given back before its end comes")
  func refusedBody() throws {
    let server = try server { $0.bytesInFlight = 20_000 }
    let refused = try server.client()
    try refused.send(String(post(30_000).dropLast()))
    let client = try server.client()
    var answer = ""
    repeat {
      try client.send(post(1))
      answer = try client.response().text
    } while answer != "1 of 1"
    try refused.send("x")
    #expect(try refused.response().status == 503)
  }

  @Test("an answer that there is no memory for is 503")
  func largeAnswer() throws {
    let server = try server { $0.bytesInFlight = 2000 }
    let client = try server.client()
    try client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try client.response().status == 503)
    try client.send(post(100))
    #expect(try client.response().text == "100 of 100")
  }

  @Test("what a connection that is lost had in memory is given back")
  func lostConnection() throws {
    let server = try server { _ in }
    do {
      let lost = try server.client()
      try lost.send(
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n\(String(repeating: "x", count: 3000))")
      while server.server.bytesInFlight < 3000 { sched_yield() }
    }
    while server.server.activeRequests > 0 { sched_yield() }
    #expect(server.server.bytesInFlight == 0)
  }

  @Test("a small body finds room, and its answer too, while large ones that never end hold all there is")
  func heldBodies() throws {
    let server = try server {
      $0.connections = 10
      $0.bytesInFlight = 20_000
    }
    // Each has 1000 bytes of its own, and 10 000 are for all.
    let held = try (1...2).map { _ in
      let client = try server.client()
      try client.send(String(post(5901).dropLast()))
      return client
    }
    while server.server.bytesInFlight < 2 * 5900 { sched_yield() }
    let client = try server.client()
    for _ in 1...3 {
      try client.send(post(2000))
      #expect(try client.response().status == 503)
      try client.send(post(980))
      #expect(try client.response().text.hasPrefix("980 of"))
    }
    for client in held {
      try client.send("x")
      #expect(try client.response().status == 200)
    }
    try client.send(post(5000))
    #expect(try client.response().text == "5000 of 5000")
  }

  @Test("past the limit of connections a new one waits its turn")
  func connections() throws {
    let server = try server { $0.connections = 2 }
    let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    var clients = [try server.client(), try server.client()]
    for client in clients {
      try client.send(get)
      #expect(try client.response().status == 200)
    }
    let third = try server.client()
    try third.send(get)
    // The server's one thread has been round since, and has taken four requests.
    for client in clients {
      try client.send(get)
      #expect(try client.response().status == 200)
    }
    #expect(server.server.statistics.answers.flatMap(\.statuses).map(\.count) == [4])
    clients.removeFirst()
    #expect(try third.response().status == 200)
  }

  @Test("near the limit of connections those make room that have waited for their client for longest")
  func crowd() throws {
    let suspended = SuspendedRequests()
    // One in sixteen is kept free.
    let server = try RunningServer {
      $0.limits.connections = 32
    } routes: { router in
      router.get("/", { _ in .now(.text("done")) })
      router.get("/slow", suspended.handler)
    }
    func client(asking target: String) throws -> RawClient {
      let client = try server.client()
      try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
      return client
    }
    // The oldest waits for the server; of those that wait for their client the first two have done so longest.
    let waiting = try client(asking: "/slow")
    let completions = suspended.take(1)
    let silent = try server.client()
    let early = try client(asking: "/")
    #expect(try early.response().status == 200)
    let active = try client(asking: "/")
    #expect(try active.response().status == 200)
    let later = try (1...27).map { _ in
      let client = try client(asking: "/")
      #expect(try client.response().status == 200)
      // It has come before all the others, and was idle for a shorter time than any.
      try active.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try active.response().status == 200)
      return client
    }
    #expect(silent.isClosedByServer())
    #expect(early.isClosedByServer())
    for client in [active] + later {
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.response().status == 200)
    }
    completions[0].succeed(.text("at last"))
    #expect(try waiting.response().text == "at last")
    // However many come, all are served.
    let crowd = try (1...200).map { _ in try client(asking: "/") }
    for client in crowd { #expect(try client.response().status == 200) }
  }
}
