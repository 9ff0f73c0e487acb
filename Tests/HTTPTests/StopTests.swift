import TestSupport
import Testing
import Threads

@testable import HTTP

@Suite("Answers that come later, and the end", .timeLimit(.minutes(1)))
struct StopTests {
  private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test("a suspended request is answered from another thread, as the handler itself would")
  func later() throws {
    let suspended = SuspendedRequests()
    let server = try RunningServer { $0.get("/", suspended.handler) }
    let clients = try (0..<3).map { _ in try server.client() }
    for client in clients { try client.send(Self.get) }
    let completions = suspended.take(3)
    let thread = try Thread {
      completions[0].succeed(.text("done"))
      completions[1].fail(Problem.notFound("gone"))
      completions[2].fail(ListenError.failed("secret"))
      // Only the first call counts.
      completions[0].fail(Problem.notFound("gone"))
    }
    let answers = try clients.map { try $0.response() }
    thread.join()
    // Which connection was suspended first isn't known.
    #expect(answers.map(\.status).sorted() == [200, 404, 500])
    #expect(answers.allSatisfy { !$0.text.contains("secret") })
  }

  @Test("a request whose completion is dropped is answered 503")
  func dropped() throws {
    let server = try RunningServer { $0.get("/") { _ in .later { _ in } } }
    let answer = try server.answer(Self.get)
    #expect(answer.status == 503)
    #expect(answer["Retry-After"] != nil)
  }

  @Test("stop answers suspended requests before it ends")
  func stop() async {
    // In a process of its own, which libmicrohttpd may end.
    await #expect(processExitsWith: .success) {
      // Often, since what could go wrong is a matter of moments.
      let lost = try (0..<300).reduce(0) { try $0 + Self.answersLost(threads: $1 % 2 == 0 ? 1 : 4) }
      #expect(lost == 0, "\(lost) of 2400 answers were lost")
    }
  }

  /// Stops a server with eight suspended requests, which are answered meanwhile.
  ///
  /// - Returns: how many of the answers didn't come.
  private static func answersLost(threads: Int) throws -> Int {
    let suspended = SuspendedRequests()
    let server = try RunningServer {
      $0.threads = threads
    } routes: {
      $0.get("/", suspended.handler)
    }
    let clients = try (0..<8).map { _ in try server.client() }
    for client in clients { try client.send(get) }
    let completions = suspended.take(8)
    let stopping = try Thread { [server = server.server] in server.stop() }
    for completion in completions { completion.succeed(.text("done")) }
    let lost = clients.count { (try? $0.response().text) != "done" }
    stopping.join()
    #expect(clients.allSatisfy { $0.isClosedByServer() })
    return lost
  }

  @Test("stop ends connections that are idle or in the middle of a request")
  func openConnections() throws {
    let server = try RunningServer { $0.get("/") { _ in .now(.text("done")) } }
    let (idle, half) = (try server.client(), try server.client())
    try idle.send(Self.get)
    #expect(try idle.response().status == 200)
    try half.send("GET / HTT")
    server.server.stop()
    #expect(idle.isClosedByServer())
    #expect(half.isClosedByServer())
    #expect(throws: (any Error).self) { try server.client() }
    // Once more does no harm.
    server.server.stop()
  }

  @Test("stop may be called by several threads at once")
  func several() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<20 {
        let server = try RunningServer { $0.get("/") { _ in .now(.text("done")) } }
        let threads = try (0..<4).map { _ in try Thread { [server = server.server] in server.stop() } }
        for thread in threads { thread.join() }
      }
    }
  }

  @Test("a server that drains refuses what is new, closes with each answer, and knows when it is idle")
  func draining() throws {
    let suspended = SuspendedRequests()
    let server = try RunningServer { router in
      router.get("/", suspended.handler)
      router.get("/now") { _ in .now(.text("done")) }
    }
    let (first, second) = (try server.client(), try server.client())
    try second.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try second.response().status == 200)
    try first.send(Self.get)
    let completions = suspended.take(1)
    server.server.beginDraining()
    #expect(try server.client().isClosedByServer())
    #expect(!server.server.waitUntilIdle(seconds: 0))
    try second.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\n")
    let refused = try second.response()
    #expect(refused.status == 503)
    #expect(refused["Retry-After"] != nil)
    #expect(second.isClosedByServer())
    completions[0].succeed(.text("done"))
    let answer = try first.response()
    #expect(answer.text == "done")
    #expect(answer["Connection"]?.lowercased() == "close")
    #expect(server.server.waitUntilIdle(seconds: 30))
  }
}
