import Foundation
import TestSupport
import Testing

@Suite("The log of a server")
struct AccessLogTests {
  private func answer(_ method: String, _ target: String, _ body: String = "", at port: UInt16) throws
    -> RawResponse
  {
    let client = try RawClient(port: port)
    try client.send(request(method, target, body))
    return try client.response(isHEAD: method == "HEAD")
  }

  private func entries(of server: ServerProcess) throws -> [[String: Any]] {
    try server.log.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private func end(_ server: ServerProcess) {
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
  }

  @Test(
    "a line of JSON for each answer says what was asked, by whom, what came of it, and how long that took")
  func fields() throws {
    let server = try ServerProcess(["--ephemeral", "--host", "127.0.0.1"])
    let requests = [
      ("GET", "/invasive/parks/13", "", "/invasive/parks/:id"),
      ("HEAD", "/invasive/parks", "", "/invasive/parks"),
      ("POST", "/invasive/users", #"{"username":"ada","password":"pw"}"#, "/invasive/users"),
      ("POST", "/invasive/users", "{", "/invasive/users"),
      ("GET", "/invasive/users?user=ada&password=no", "", "/invasive/users"),
      ("GET", "/directory/people/123456789012", "", "/directory/people/:key"),
      ("DELETE", "/invasive/parks", "", "/invasive/parks"),
      ("GET", "/nothing/there", "", "-"),
    ]
    let answers = try requests.map { try answer($0.0, $0.1, $0.2, at: server.port) }
    #expect(answers.map(\.status) == [200, 200, 200, 400, 401, 404, 405, 404])
    end(server)
    #expect(!server.log.contains("password=no") && !server.log.contains("people/1234"))
    let entries = try entries(of: server)
    #expect(entries.count == requests.count)
    for (entry, (request, answer)) in zip(entries, zip(requests, answers)) {
      let isRefusal = answer.status >= 400
      var names: Set = ["time", "level", "message", "status", "bytes", "ms", "client", "route", "id"]
      if isRefusal { names.insert("detail") }
      #expect(Set(entry.keys) == names)
      #expect(entry["level"] as? String == (isRefusal ? "warning" : "info"))
      #expect(entry["status"] as? Int == answer.status)
      #expect(entry["bytes"] as? Int == answer.body.count)
      #expect((entry["ms"] as? Double).map { $0 > 0 && $0 < 60_000 } == true)
      #expect(entry["client"] as? String == "127.0.0.1")
      #expect(entry["route"] as? String == request.3)
      #expect((entry["message"] as? String)?.hasPrefix(request.0 + " /") == true)
      // The answers that are the same for everyone carry no id.
      if let id = answer["X-Request-Id"] { #expect(entry["id"] as? String == id) }
      if isRefusal {
        let problem = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        #expect(entry["detail"] as? String == problem?["detail"] as? String)
        #expect(entry["id"] as? String == problem?["instance"] as? String)
      }
    }
    #expect(Set(entries.compactMap { $0["id"] as? String }).count == entries.count)
  }

  @Test("probes are logged where something isn't well, and otherwise for debugging alone")
  func routine() throws {
    for (level, lines) in [("info", [503]), ("debug", [200, 200, 503])] {
      let folder = try TemporaryFolder()
      let server = try ServerProcess(["--data", folder.path, "--log-level", level])
      #expect(try answer("GET", "/healthz", at: server.port).status == 200)
      #expect(try answer("GET", "/readyz", at: server.port).status == 200)
      try FileManager.default.removeItem(atPath: folder.path + "/understudy.sqlite")
      #expect(try answer("GET", "/readyz", at: server.port).status == 503)
      server.signal(SIGTERM)
      _ = server.wait()
      #expect(try entries(of: server).compactMap { $0["status"] as? Int } == lines)
    }
  }

  @Test("it is text for people on a terminal")
  func terminal() throws {
    var (terminal, program): (Int32, Int32) = (-1, -1)
    var path = [CChar](repeating: 0, count: 1024)
    #expect(openpty(&terminal, &program, &path, nil, nil) == 0)
    defer {
      close(terminal)
      close(program)
    }
    let name = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let server = try ServerProcess(["--ephemeral"], launcher: Self.withErrors(to: name))
    #expect(try answer("GET", "/invasive/parks?limit=1", at: server.port).status == 200)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !bytes.contains(UInt8(ascii: "\n")) {
      let count = read(terminal, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    // A terminal's lines end with CR too.
    let line = String(decoding: bytes.filter { $0 != 0x0D }, as: UTF8.self)
    let form =
      #/\d{4}-\d\d-\d\dT[\d:.]+Z info GET /invasive/parks\?limit=1 status=200 bytes=\d+ ms=\d+\.\d{3} client=\S+ route=/invasive/parks id=\S+\n/#
    #expect(line.wholeMatch(of: form) != nil, "\(line)")
    end(server)
  }

  /// A launcher that gives the server another standard error.
  private static func withErrors(to path: String) -> [String] {
    ["/bin/sh", "-c", "exec \"$0\" \"$@\" 2> '\(path)'"]
  }

  @Test("a pipe that nobody reads, or whose reader goes, keeps no server from answering, or from its end")
  func pipes() throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path + "/log"
    #expect(mkfifo(pipe, 0o600) == 0)
    for leaves in [false, true] {
      // For reading and writing, so that it is there before the server.
      let reader = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      let server = try ServerProcess(
        ["--ephemeral", "--log-queue", "64"], launcher: Self.withErrors(to: pipe))
      if leaves { close(reader) }
      defer { if !leaves { close(reader) } }
      let client = try RawClient(port: server.port)
      // A pipe has room for 64 KiB, some 300 lines.
      for number in 1...1500 {
        try client.send(request("GET", number % 3 == 0 ? "/nothing" : "/invasive/parks/1", ""))
        #expect(try client.response().status == (number % 3 == 0 ? 404 : 200))
      }
      end(server)
    }
  }
}
