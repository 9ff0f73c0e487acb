import Foundation
import TestSupport
import Testing

@Suite("understudy health")
struct HealthTests {
  private func health(
    _ arguments: String..., environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String, errors: String) {
    try ServerProcess.run(["health"] + arguments, environment: environment)
  }

  /// Expects one line about why not.
  private func requireUnready(
    _ answer: (status: Int32, output: String, errors: String), at port: UInt16, _ reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(answer.status == 1 && answer.output.isEmpty, sourceLocation: sourceLocation)
    #expect(
      answer.errors.hasPrefix("understudy: http://127.0.0.1:\(port) is not ready: "), "\(answer.errors)",
      sourceLocation: sourceLocation)
    #expect(answer.errors.contains(reason), "\(answer.errors)", sourceLocation: sourceLocation)
    #expect(answer.errors.split(separator: "\n").count == 1, sourceLocation: sourceLocation)
  }

  @Test("finds a server by what 'serve' is told where to listen")
  func ready() throws {
    let everywhere = try ServerProcess(["--ephemeral"])
    for host in [nil, "0.0.0.0", "::", "::1", "localhost"] {
      let (status, output, errors) = try health(
        "--port", "\(everywhere.port)", environment: host.map { ["UNDERSTUDY_HOST": $0] } ?? [:])
      #expect(status == 0 && errors.isEmpty, "\(host ?? "everywhere"): \(errors)")
      #expect(output.hasSuffix(":\(everywhere.port) is ready\n"))
    }
    let here = try ServerProcess(["--ephemeral", "--host", "127.0.0.1"])
    var environment = ["UNDERSTUDY_HOST": "127.0.0.1", "UNDERSTUDY_PORT": "\(here.port)"]
    // A proxy of the environment's has nothing to do with it.
    environment["http_proxy"] = "http://127.0.0.1:9"
    #expect(try health(environment: environment).output == "http://127.0.0.1:\(here.port) is ready\n")
    let (status, _, errors) = try health("--host", "::1", environment: environment)
    #expect(status == 1 && errors.contains("http://[::1]:\(here.port) is not ready: "), "\(errors)")
  }

  @Test("waits for a server that begins, and no longer than it was told")
  func wait() throws {
    // A port that was free a moment ago.
    let port = try {
      let server = try ServerProcess(["--ephemeral"])
      server.signal(SIGTERM)
      _ = server.wait()
      return server.port
    }()
    requireUnready(try health("--port", "\(port)", "--wait", "1"), at: port, "connect")
    // The server is there until both are done.
    let servers = try onThreads(["health", "serve"]) { command -> ServerProcess? in
      if command == "serve" { return try ServerProcess(["--ephemeral"], port: port) }
      #expect(try self.health("--port", "\(port)", "--wait", "60").status == 0)
      return nil
    }
    #expect(servers.compactMap(\.?.port) == [port])
  }

  @Test("says what the server says of itself")
  func unready() throws {
    let server = try ServerProcess(["--ephemeral", "--disk-threshold", "\(1 << 50)"])
    requireUnready(try health("--port", "\(server.port)"), at: server.port, "it answers 503 (")
    requireUnready(try health("--port", "\(server.port)"), at: server.port, "--disk-threshold")
  }

  @Test("gives up on a server that stands still, and finds it again when it goes on")
  func still() throws {
    let server = try ServerProcess(["--ephemeral"])
    server.signal(SIGSTOP)
    requireUnready(try health("--port", "\(server.port)"), at: server.port, "timed out")
    server.signal(SIGCONT)
    #expect(try health("--port", "\(server.port)", "--wait", "60").status == 0)
  }
}
