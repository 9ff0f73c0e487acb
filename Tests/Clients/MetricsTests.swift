import Foundation
import TestSupport
import Testing
import Understudy
import UnderstudyTesting

@Suite("Metrics")
struct MetricsTests {
  private func serve(_ arguments: [String] = ["--ephemeral"]) throws -> ServerProcess {
    try ServerProcess(
      arguments + ["--host", "127.0.0.1", "--log-level", "debug"],
      environment: ["UNDERSTUDY_METRICS_TOKEN": Exposed.token])
  }

  private func end(_ server: ServerProcess) {
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
  }

  private func status(_ client: RawClient, _ method: String, _ target: String, _ body: String = "") throws
    -> Int
  {
    try answer(client, method, target, body).status
  }

  private func answer(_ client: RawClient, _ method: String, _ target: String, _ body: String = "") throws
    -> RawResponse
  {
    try client.send(
      "\(method) \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    return try client.response(isHEAD: method == "HEAD")
  }

  @Test(
    "promtool has nothing to object to",
    .enabled(if: ClientProgram.isWanted("promtool"), "promtool was not found"))
  func promtool() async throws {
    let server = try serve(["--ephemeral", "--https", "0", "--name", "cmsc106.net"])
    defer { end(server) }
    func check() async throws {
      let exposed = try Exposed(port: server.port)
      // It says what it would have otherwise, and ends with 3.
      let result = try await ClientProgram(name: "promtool").run(
        ["check", "metrics"], input: Data(exposed.text.utf8))
      #expect(result.status == 0)
      #expect(result.output + result.errors == "")
    }
    try await check()
    let client = try RawClient(port: server.port)
    #expect(try status(client, "POST", "/invasive/users", #"{"username":"ada","password":"pw"}"#) == 200)
    #expect(try status(client, "POST", "/directory/users", #"{"name":"ada","password":"pw"}"#) == 200)
    for (target, expected) in [
      ("/invasive/parks/1", 200), ("/nothing", 404), ("/invasive/parks/none", 404),
      ("/directory/people/1", 404),
      ("/invasive/observations?limit=0", 400), ("/invasive/users?user=ada&password=pw", 200),
    ] {
      #expect(try status(client, "GET", target) == expected, "\(target)")
    }
    #expect(try status(client, "DELETE", "/invasive/parks/1") == 405)
    try await check()
  }

  private static func documentation() throws -> String {
    let file = ClientProgram.folder.appending(path: "../../docs/monitoring.md")
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test("the documentation's table has every metric, and no other")
  func documented() throws {
    let server = try serve(["--ephemeral", "--https", "0", "--name", "cmsc106.net"])
    defer { end(server) }
    #expect(try status(RawClient(port: server.port), "GET", "/") == 200)
    let exposed = try Exposed(port: server.port).text.matches(of: #/# TYPE (\S+) /#).map {
      String($0.output.1)
    }
    let table = try Self.documentation().split(separator: "\n").filter { $0.hasPrefix("| `") }
    let documented = table.flatMap { row in
      row.split(separator: "|")[0].matches(of: #/`((?:understudy|process)_\w+)`/#).map { String($0.output.1) }
    }
    #expect(documented.sorted() == exposed.sorted())
  }

  @Test(
    "promtool takes the documentation's alerts, and they are about metrics that there are",
    .enabled(if: ClientProgram.isWanted("promtool"), "promtool was not found"))
  func alerts() async throws {
    let server = try serve(["--ephemeral", "--https", "0", "--name", "cmsc106.net"])
    defer { end(server) }
    #expect(try status(RawClient(port: server.port), "GET", "/") == 200)
    let exposed = try Exposed(port: server.port).text
    let block = try #require(Self.documentation().firstMatch(of: #/```yaml\n(?s:(.*?))```/#)).output.1
    for name in block.matches(of: #/understudy_\w+/#) { #expect(exposed.contains("# TYPE \(name.output) ")) }
    let file = FileManager.default.temporaryDirectory.appending(path: "understudy-\(UUID().uuidString).yml")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(block.utf8).write(to: file)
    let said = try await ClientProgram(name: "promtool").succeed(["check", "rules", file.path])
    #expect(said.contains("SUCCESS: 5 rules found"))
  }

  @Test("every answer is counted once, under its route's pattern and its status")
  func answers() throws {
    let server = try serve()
    defer { end(server) }
    let before = try Exposed(port: server.port)
    #expect(before.routes.isEmpty)
    // More connections than threads, so that each thread has some.
    let port = server.port
    _ = try onThreads(Array(1...8)) { number in
      let client = try RawClient(port: port)
      for park in 1...25 {
        #expect(try status(client, park % 2 == 0 ? "GET" : "HEAD", "/invasive/parks/\(park)") == 200)
      }
      for name in 1...10 { #expect(try status(client, "GET", "/\(number)/\(name)") == 404) }
      #expect(try status(client, "PUT", "/invasive/parks") == 405)
      #expect(try status(client, "OPTIONS", "/invasive/parks") == 204)
      #expect(try status(client, "GET", "/directory/people/123456789012345678901234567890") == 404)
    }
    let after = try Exposed(port: server.port)
    #expect(after.answers("/invasive/parks/:id") == ["200": 200])
    #expect(after.answers("/invasive/parks") == ["405": 8, "204": 8])
    #expect(after.answers("/directory/people/:key") == ["404": 8])
    #expect(after.answers("/metrics") == ["200": 1])
    // What strangers type makes no new labels.
    #expect(after.answers("none") == ["404": 80])
    #expect(
      after.routes == [
        "/invasive/parks/:id", "/invasive/parks", "/directory/people/:key", "/metrics", "none",
      ])
    for (route, count) in [("/invasive/parks/:id", 200.0), ("none", 80)] {
      let name = "understudy_http_request_duration_seconds"
      #expect(after["\(name)_count{route=\"\(route)\"}"] == count)
      #expect(after["\(name)_bucket{route=\"\(route)\",le=\"+Inf\"}"] == count)
      // As long as it took at most: the test's own time is above it.
      #expect(after["\(name)_sum{route=\"\(route)\"}"] > 0)
      let buckets = ["0.0001", "0.001", "0.01", "0.1", "1", "10"].map {
        after["\(name)_bucket{route=\"\(route)\",le=\"\($0)\"}"]
      }
      #expect(buckets == buckets.sorted() && buckets[5] == count)
    }
    #expect(
      after["understudy_accepted_connections_total"] == before["understudy_accepted_connections_total"] + 9)
  }

  @Test("what isn't HTTP is counted by itself")
  func unreadable() throws {
    let server = try serve()
    defer { end(server) }
    for _ in 1...3 {
      let client = try RawClient(port: server.port)
      try client.send("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: two\r\n\r\n")
      #expect(client.isClosedByServerInTheEnd())
    }
    let exposed = try Exposed(port: server.port)
    #expect(exposed["understudy_http_unreadable_requests_total"] == 3)
    #expect(exposed.answers("/") == [:])
  }

  @Test("changes, commits and passwords are counted, and the files' sizes are the files'")
  func work() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "understudy-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try serve(["--data", folder.path])
    let client = try RawClient(port: server.port)
    let before = try Exposed(port: server.port)
    #expect(before["understudy_writer_batch_size_count"] == 0)
    #expect(try status(client, "POST", "/invasive/users", #"{"username":"ada","password":"pw"}"#) == 200)
    for _ in 1...20 {
      let sighting = #"{"user":1,"species":1,"park":1,"comment":"","date":""}"#
      #expect(try status(client, "POST", "/invasive/observations", sighting) == 200)
      #expect(try status(client, "GET", "/readyz") == 200)
    }
    #expect(try status(client, "GET", "/invasive/users?user=ada&password=no") == 401)
    let after = try Exposed(port: server.port)
    // One by one, so that each was a transaction; the probes were none.
    #expect(after["understudy_writer_batch_size_sum"] == 21)
    #expect(after["understudy_writer_batch_size_bucket{le=\"1\"}"] == 21)
    #expect(after["understudy_writer_commit_duration_seconds_count"] == 21)
    #expect(after["understudy_writer_commit_duration_seconds_sum"] > 0)
    #expect(after["understudy_password_hash_duration_seconds_count"] == 2)
    // 19 MiB, twice, takes some milliseconds on any machine.
    #expect(after["understudy_password_hash_duration_seconds_sum"] > 0.002)
    #expect(after["understudy_writer_disk_failures_total"] == 0)
    for (name, file) in [("database", "understudy.sqlite"), ("database_wal", "understudy.sqlite-wal")] {
      let size = try #require(
        FileManager.default.attributesOfItem(atPath: folder.path + "/" + file)[.size] as? Double)
      #expect(size > 0 && after["understudy_\(name)_size_bytes"] == size)
    }
    #expect(after["understudy_disk_free_bytes"] > 0)
    end(server)
  }

  @Test(
    "open connections and descriptors are those that are open, and what is in memory that the system says")
  func process() throws {
    let server = try serve()
    defer { end(server) }
    // Some that have gone.
    for _ in 1...5 { #expect(try status(try RawClient(port: server.port), "GET", "/") == 200) }
    let clients = try (1...20).map { _ in try RawClient(port: server.port) }
    for client in clients { #expect(try status(client, "GET", "/") == 200) }
    let many = try Exposed.eventually(port: server.port) {
      $0["understudy_connections"] == 21 && $0["understudy_http_requests_in_progress"] == 1
    }
    #expect(many["understudy_connections"] == 21)
    #expect(many["understudy_http_requests_in_progress"] == 1)
    withExtendedLifetime(clients) {}
    // A body that has come in part is in memory.
    let slow = try RawClient(port: server.port)
    try slow.send(
      "POST /invasive/users HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n"
        + String(repeating: " ", count: 3000))
    let held = try Exposed.eventually(port: server.port) { $0["understudy_body_bytes_in_flight"] == 3000 }
    #expect(held["understudy_body_bytes_in_flight"] == 3000)
    #if os(Linux)
      let folder = "/proc/\(server.processIdentifier)"
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count
      // The reader of the metrics has gone meanwhile, or not yet.
      #expect(abs(held["process_open_fds"] - Double(descriptors)) <= 2)
      let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
      let resident = try #require(status.firstMatch(of: /VmRSS:\s+(\d+) kB/).flatMap { Double($0.output.1) })
      let said = held["process_resident_memory_bytes"] / 1024
      #expect(said > resident / 2 && said < resident * 2)
    #endif
    #expect(abs(held["process_start_time_seconds"] - Date.now.timeIntervalSince1970) < 120)
    #expect(held["understudy_uptime_seconds"] > 0 && held["understudy_uptime_seconds"] < 120)
    #expect(held["process_cpu_seconds_total"] > 0)
    #expect(held["process_max_fds"] >= 144)
    let version = Application.version
    #expect(held.values.contains { $0.key.hasPrefix("understudy_build_info{version=\"\(version)\",") })
  }

  @Test("without a token there is nothing at /metrics")
  func withoutToken() throws {
    let server = try ServerProcess(["--ephemeral", "--host", "127.0.0.1"])
    defer { end(server) }
    let client = try RawClient(port: server.port)
    let (metrics, other) = (try answer(client, "GET", "/metrics"), try answer(client, "GET", "/mustrics"))
    #expect(metrics.status == 404)
    func shape(_ response: RawResponse) -> String {
      response.text.replacing(/"instance":"[^"]*"/, with: "").replacing("mustrics", with: "metrics")
    }
    #expect(shape(metrics) == shape(other))
  }

  @Test(
    "only who has the token reads them, and no log has it",
    arguments: [
      nil, "Bearer", "Bearer ", "Bearer wrong", "Basic \(Exposed.token)", "Bearer \(Exposed.token)x",
      "Bearer \(Exposed.token.dropLast())", Exposed.token,
    ])
  func wrongToken(value: String?) throws {
    let server = try serve()
    let client = try RawClient(port: server.port)
    func answer(_ authorization: String?) throws -> RawResponse {
      let field = authorization.map { "Authorization: \($0)\r\n" } ?? ""
      try client.send("GET /metrics HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
      return try client.response()
    }
    let refusal = try answer(value)
    #expect(refusal.status == 401 && refusal["Content-Type"] == "application/problem+json")
    #expect(refusal["WWW-Authenticate"]?.hasPrefix("Bearer realm=") == true)
    #expect(!refusal.text.contains("understudy_"))
    for right in ["Bearer \(Exposed.token)", "bearer   \(Exposed.token)"] {
      #expect(try answer(right).status == 200)
    }
    end(server)
    #expect(!server.log.contains(Exposed.token))
  }

  @Test(
    "the control socket gives them without a token, and of the ports' requests",
    .enabled(if: ClientProgram.isWanted("curl"), "curl was not found"))
  func control() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "understudy-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try ServerProcess(["--data", folder.path, "--host", "127.0.0.1"])
    defer { end(server) }
    #expect(try status(try RawClient(port: server.port), "GET", "/invasive/parks/1") == 200)
    let text = try await ClientProgram(name: "curl").succeed([
      "-q", "-sS", "--unix-socket", folder.path + "/control.sock", "http://localhost/metrics",
    ])
    #expect(Exposed(text).answers("/invasive/parks/:id") == ["200": 1])
  }

  @Test("lines that a log without a reader has dropped are counted")
  func droppedLines() throws {
    // At its end the log finds the pipe without a reader.
    signal(SIGPIPE, SIG_IGN)
    let pipe = Pipe()
    let server = try TestServer {
      $0.logDescriptor = pipe.fileHandleForWriting.fileDescriptor
      $0.logLevel = .info
      $0.logQueue = 4
      $0.metricsToken = Exposed.token
    }
    let client = try RawClient(port: server.port)
    #expect(try Exposed(port: server.port)["understudy_log_dropped_lines_total"] == 0)
    // A pipe has room for 64 KiB or so.
    for _ in 1...2000 { #expect(try status(client, "GET", "/invasive/parks/1") == 200) }
    #expect(try Exposed(port: server.port)["understudy_log_dropped_lines_total"] > 100)
    server.stop()
  }
}
