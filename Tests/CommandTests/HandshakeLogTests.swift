import Foundation
import TestSupport
import Testing

@Suite("what a server's log says of TLS handshakes that fail")
struct HandshakeLogTests {
  /// A client that doesn't get to a request, and what is said of it.
  struct Client: Sendable, CustomStringConvertible {
    let description: String
    let said: String
    /// - Parameter port: the encrypted one.
    let connect: @Sendable (_ port: UInt16) throws -> Void
  }

  private static func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus != 0)
  }

  private static func distrustful(_ version: String, _ port: UInt16) throws {
    try run("openssl", ["s_client", "-connect", "127.0.0.1:\(port)", "-verify_return_error", "-\(version)"])
  }

  static let clients = [
    Client(
      description: "one that doesn't trust the authority, TLS 1.3",
      said: "It doesn't trust the certificate (CA is unknown): /connect"
    ) {
      try distrustful("tls1_3", $0)
    },
    Client(
      description: "one that doesn't trust the authority, TLS 1.2",
      said: "It doesn't trust the certificate (CA is unknown): /connect"
    ) {
      try distrustful("tls1_2", $0)
    },
    Client(description: "curl", said: "It doesn't trust the certificate (CA is unknown): /connect") {
      try run("curl", ["--silent", "--noproxy", "*", "https://127.0.0.1:\($0)/"])
    },
    Client(description: "one that knows no TLS 1.2", said: "It has no version of TLS from 1.2 on") {
      try run(
        "openssl",
        ["s_client", "-connect", "127.0.0.1:\($0)", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0"])
    },
    Client(
      description: "one that speaks plain HTTP",
      said: "It doesn't speak TLS: if the app's address begins with http://"
    ) {
      let client = try RawClient(port: $0)
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(client.isClosedByServer())
    },
    Client(description: "one that leaves at once", said: "It closed the connection without a word.") {
      _ = try RawClient(port: $0)
    },
    Client(
      description: "one that leaves in the middle",
      said: "It closed the connection in the middle of the handshake"
    ) {
      // The beginning of a record with a ClientHello.
      try RawClient(port: $0).send([22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3])
    },
  ]

  @Test("the client's address, and the reason where it is known, once", arguments: clients)
  func reason(client: Client) throws {
    let server = try ServerProcess(["--ephemeral", "--https", "0", "--log-format", "json"])
    for _ in 0..<3 { try client.connect(server.httpsPort) }
    var entries: [[String: Any]] = []
    for _ in 0..<2000 where entries.isEmpty {
      entries = try server.log.split(separator: "\n").dropLast(server.log.hasSuffix("\n") ? 0 : 1).map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
      usleep(5_000)
    }
    // It serves on, plainly and over TLS.
    #expect(try server.answer("GET", "/healthz").status == 200)
    server.end()
    entries = try server.log.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    let failures = entries.filter { $0["message"] as? String == "a TLS handshake failed" }
    #expect(failures.count == 1, "\(server.log)")
    #expect(failures.first?["client"] as? String == "127.0.0.1")
    #expect((failures.first?["detail"] as? String)?.hasPrefix(client.said) == true, "\(server.log)")
  }

  @Test("one that ends well is no failure")
  func success() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve(["--https", "0", "--name", "localhost", "--log-level", "debug"])
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "curl", "--silent", "--fail", "--noproxy", "*", "--cacert", folder.path + "/tls/ca.pem",
      "https://localhost:\(server.httpsPort)/invasive/parks", "--output", "/dev/null",
    ]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    server.end()
    #expect(server.log.contains("/invasive/parks"))
    #expect(!server.log.contains("handshake"))
  }
}
