import Foundation
import TestSupport
import Testing

/// What clients may say that don't mean it well, or don't know better.
@Suite(
  "HTTPS and strangers", .serialized,
  .enabled(if: ClientProgram.isWanted("curl", "openssl"), "openssl wasn't found"))
struct HTTPSAbuseTests {
  @Test(
    "takes TLS 1.2 and 1.3, and refuses older ones to clients that offer nothing else",
    arguments: [("-tls1_3", true), ("-tls1_2", true), ("-tls1_1", false), ("-tls1", false)])
  func versions(option: String, isTaken: Bool) async throws {
    let folder = try AuthorityFolder()
    try await folder.withServer { server in
      let connection = try await OpenSSL.connect(
        to: server.httpsPort, [option, "-cipher", "DEFAULT@SECLEVEL=0", "-CAfile", folder.authority])
      #expect((connection.status == 0) == isTaken, "\(connection.output) \(connection.errors)")
      #expect(connection.output.contains("Cipher is (NONE)") != isTaken)
    }
  }

  @Test("says that it speaks HTTP/1.1 to clients that offer HTTP/2 too")
  func protocols() async throws {
    let folder = try AuthorityFolder()
    try await folder.withServer { server in
      let connection = try await OpenSSL.connect(to: server.httpsPort, ["-alpn", "h2,http/1.1"])
      #expect(connection.output.contains("ALPN protocol: http/1.1"))
    }
  }

  @Test(
    "lets nobody wait for ever who opens its port and doesn't speak TLS, and serves others meanwhile",
    arguments: [
      ("silence", []), ("half a message", [0x16, 3, 1, 2, 0, 1, 0]),
      ("plain HTTP", Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)),
    ] as [(String, [UInt8])])
  func strangers(kind: String, bytes: [UInt8]) async throws {
    let folder = try AuthorityFolder()
    try await folder.withServer(["--name", "cmsc106.net", "--request-timeout", "4"]) { server in
      allowDescriptors()
      let strangers = try (0..<500).map { _ in try RawClient(port: server.httpsPort) }
      for stranger in strangers where !bytes.isEmpty { try stranger.send(bytes) }
      #if os(Linux)
        let before = try processorSeconds(server.processIdentifier)
      #endif
      let start = ContinuousClock.now
      // As long as some are there, which is for four seconds.
      var answers = 0
      while ContinuousClock.now - start < .seconds(3) {
        let answer = try await folder.curl(server, "/invasive/parks/13", "--cacert", folder.authority)
        #expect(answer.status == 0, "\(kind): \(answer.errors)")
        answers += 1
        try await Task.sleep(for: .milliseconds(100))
      }
      #expect(answers > 0)
      #if os(Linux)
        // One that is served again and again, though it says nothing, takes all that a processor has.
        #expect(try processorSeconds(server.processIdentifier) - before < 1.5, "\(kind)")
      #endif
      #expect(strangers.allSatisfy { $0.isClosedByServerInTheEnd() })
    }
  }

  #if os(Linux)
    /// The time that a process has had of the processors, in seconds.
    private func processorSeconds(_ process: Int32) throws -> Double {
      let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      let fields = try #require(text.split(separator: ")").last).split(separator: " ")
      let ticks = try #require(Double(fields[11])) + #require(Double(fields[12]))
      return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
  #endif

  @Test("ends although connections are open on both ports")
  func end() throws {
    let folder = try AuthorityFolder()
    let server = try ServerProcess(["--data", folder.path, "--https", "0"])
    let silent = try [server.port, server.httpsPort].map { try RawClient(port: $0) }
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
    for client in silent { #expect(client.isClosedByServer()) }
  }
}
