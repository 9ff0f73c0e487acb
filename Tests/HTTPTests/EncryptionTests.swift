import Certificates
import Foundation
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
}
