import Certificates
import Foundation
import JSON
import TestSupport
import Testing

@testable import HTTP

@Suite("Encrypted ports", .timeLimit(.minutes(1)))
struct EncryptionTests {
  /// An identity that an authority of the test's own has signed.
  private func identity() throws -> Identity {
    let folder = FileManager.default.temporaryDirectory.appending(path: "understudy-tls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let certificates = CertificateFolder(folder.path)
    let authority = try certificates.makeAuthority(host: "here", names: [])
    return try certificates.identity(from: authority, for: [.host("localhost")])
  }

  @Test("share the limit of connections with the plain one")
  func limit() throws {
    let suspended = SuspendedRequests()
    let server = try RunningServer(
      { $0.limits.connections = 4 }, identity: identity(), routes: { $0.get("/", suspended.handler) })
    let httpsPort = try #require(server.httpsPort)
    let first = try RawClient(port: httpsPort)
    let clients = try (0..<3).map { _ in try server.client() }
    for client in clients { try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
    let completions = suspended.take(3)
    // All of them are connected, and none is one that could be cut.
    #expect(try RawClient(port: httpsPort).isClosedByServer())
    for completion in completions { completion.succeed(.text("done")) }
    for client in clients { #expect(try client.response().text == "done") }
    withExtendedLifetime(first) {}
  }

  @Test("answer what has no body at once, and what has one whole, on a connection that stays")
  func bodies() throws {
    let long = String(repeating: "0123456789", count: 100_000)
    let server = try RunningServer(
      identity: identity(),
      routes: { router in
        router.get("/short") { _ in .now(.text("short.")) }
        router.get("/long") { _ in .now(.text(long + ".")) }
        router.get("/known") { _ in
          .now(Response(type: "text/plain", body: .buffer(ByteBuffer("known.")), caching: .validated(nil)))
        }
      })
    let client = try TLSClient(port: try #require(server.httpsPort))
    func ask(_ line: String, _ field: String = "", until end: String) throws -> String {
      try client.send("\(line) HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
      return try client.text(endingWith: end)
    }
    for _ in 0..<3 {
      #expect(try ask("GET /short", until: "short.").hasPrefix("HTTP/1.1 200 "))
      #expect(try ask("HEAD /short", until: "\r\n\r\n").contains("Content-Length: 6\r\n"))
      #expect(try ask("GET /long", until: "9.").hasSuffix("\r\n\r\n" + long + "."))
      let known = try ask("GET /known", until: "known.")
      let tag = try #require(known.firstMatch(of: #/ETag: (\S+)/#)).1
      let again = try ask("GET /known", "If-None-Match: \(tag)\r\n", until: "\r\n\r\n")
      #expect(again.hasPrefix("HTTP/1.1 304 "))
      #expect(try ask("OPTIONS /short", until: "\r\n\r\n").hasPrefix("HTTP/1.1 204 "))
      #expect(try ask("GET /nowhere", until: "}").hasPrefix("HTTP/1.1 404 "))
    }
  }
}
