import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("the end of a server", .timeLimit(.minutes(2)))
struct ShutdownTests {
  @Test("under load every change that is stored was answered, and nothing else was answered 200")
  func underLoad() throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(["--data", folder.path, "--log-level", "error"])
    let user = request("POST", "/invasive/users", #"{"username":"ada","password":"pw"}"#)
    #expect(try RawClient(port: server.port).answer(to: user)?.status == 200)
    let count = Atomic(0)
    let port = server.port
    let uploaders = try onThreads(Array(1...12)) { number in
      var uploader = SightingUploader(name: "observer \(number)", hasKeys: false)
      uploader.upload(to: port, round: 1) {
        if count.add(1, ordering: .relaxed).newValue == 300 { server.signal(SIGTERM) }
      }
      return uploader
    }
    #expect(server.wait() == 0)
    // Those who were told anything but 200 were told to come again.
    for refusal in uploaders.flatMap(\.refusals) { #expect(refusal.hasPrefix("503 ")) }
    let stored = try StoredRows(of: folder.url)
    #expect(stored.defects.isEmpty)
    let acknowledged = uploaders.flatMap(\.acknowledged).sorted { $0.id < $1.id }
    #expect(acknowledged.count >= 300)
    #expect(acknowledged.map(\.id) == stored.observations.map(\.id))
    #expect(acknowledged.map(\.comment) == stored.observations.map(\.comment))
  }

  @Test("comes within its deadline, whoever is idle or slow, and answers who makes it until then")
  func slowSenders() throws {
    // A machine that is busy may take longer now and then.
    let times = try (1...3).map { _ in try endWithSlowSenders(drainSeconds: 3) }
    #expect(isSanitized || times.min()! < .seconds(3), "it took \(times)")
  }

  /// - Returns: how long it took.
  private func endWithSlowSenders(drainSeconds: Int) throws -> Duration {
    let server = try ServerProcess(["--ephemeral", "--drain-timeout", "\(drainSeconds)"])
    let idle = try (1...5).map { _ in try RawClient(port: server.port) }
    for client in idle {
      #expect(client.answer(to: "GET /invasive/parks HTTP/1.1\r\nHost: a\r\n\r\n")?.status == 200)
    }
    // In the middle of a header, of a body, and of a body that will be there in time.
    let header = try RawClient(port: server.port)
    try header.send("GET /invasive/parks HTTP/1.1\r\nHost: a\r\n")
    let start = "POST /invasive/users HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: "
    let (body, inTime) = (try RawClient(port: server.port), try RawClient(port: server.port))
    try body.send(start + "100000\r\n\r\n")
    #expect(try body.response().status == 100)
    let user = #"{"username":"ada","password":"pw"}"#
    try inTime.send(start + "\(user.utf8.count)\r\n\r\n")
    #expect(try inTime.response().status == 100)

    let clock = ContinuousClock()
    let begin = clock.now
    server.signal(SIGTERM)
    // The end has begun when new connections are closed without an answer.
    while let probe = try? RawClient(port: server.port),
      probe.answer(to: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")?.status == 200
    {}
    #expect(inTime.answer(to: user)?.status == 200)
    // They go on sending, a byte now and then.
    let isOver = Atomic(false)
    let trickling = try [("X-Slow: ", header), ("x", body)].map { text, client in
      try TricklingThread(client, text, until: { isOver.load(ordering: .relaxed) })
    }
    let status = server.wait()
    let took = clock.now - begin
    isOver.store(true, ordering: .relaxed)
    for thread in trickling { thread.join() }
    #expect(status == 0)
    // It waits for them, but not longer than it may.
    #expect(took > .seconds(1))
    return took
  }

  @Test("until then it is alive to who is connected, and not ready")
  func probes() throws {
    let server = try ServerProcess(["--ephemeral"])
    let (alive, ready, upload) = (
      try RawClient(port: server.port), try RawClient(port: server.port), try RawClient(port: server.port)
    )
    for client in [alive, ready] {
      #expect(client.answer(to: "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")?.status == 200)
    }
    // It has something to wait for.
    let user = #"{"username":"ada","password":"pw"}"#
    try upload.send(
      "POST /invasive/users HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: \(user.utf8.count)\r\n\r\n"
    )
    #expect(try upload.response().status == 100)
    server.signal(SIGTERM)
    // The end has begun when new connections are closed without an answer.
    while let probe = try? RawClient(port: server.port),
      probe.answer(to: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")?.status == 200
    {}
    #expect(alive.answer(to: "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")?.status == 200)
    #expect(ready.answer(to: "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")?.status == 503)
    #expect(upload.answer(to: user)?.status == 200)
    #expect(server.wait() == 0)
  }

  @Test("takes less than a second when all are idle")
  func idle() throws {
    // A machine that is busy may take longer now and then.
    let times = try (1...5).map { _ in
      let server = try ServerProcess(["--ephemeral"])
      let clients = try (1...20).map { _ in try RawClient(port: server.port) }
      for client in clients {
        #expect(client.answer(to: "GET /invasive/parks HTTP/1.1\r\nHost: a\r\n\r\n")?.status == 200)
      }
      let begin = ContinuousClock().now
      server.signal(SIGTERM)
      #expect(server.wait() == 0)
      return ContinuousClock().now - begin
    }
    #expect(isSanitized || times.sorted()[2] < .seconds(1), "it took \(times)")
  }

  @Test("comes at once with the second signal, whichever it is", arguments: [SIGTERM, SIGINT, SIGHUP])
  func secondSignal(number: Int32) throws {
    let server = try ServerProcess(["--ephemeral"])
    let client = try RawClient(port: server.port)
    try client.send(
      "POST /invasive/users HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
    #expect(try client.response().status == 100)
    server.signal(SIGTERM)
    while let probe = try? RawClient(port: server.port),
      probe.answer(to: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")?.status == 200
    {}
    let begin = ContinuousClock().now
    server.signal(number)
    #expect(server.wait() == 128 + number)
    // Far from the ten seconds that the request could have taken.
    #expect(ContinuousClock().now - begin < .seconds(5))
  }
}
