import Foundation
import TestSupport
import Testing

/// A data folder that goes with the test, with the authority that a server has made in it.
final class AuthorityFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "understudy-authority-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  var path: String { url.path }
  var authority: String { path + "/tls/ca.pem" }
  var authorityKey: String { path + "/tls/ca.key" }
  var server: String { path + "/tls/server.pem" }

  /// Starts a server with HTTPS on this folder, and ends it after the test.
  ///
  /// - Returns: its log.
  @discardableResult func withServer(
    _ arguments: [String] = ["--name", "cmsc106.net"], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (ServerProcess) async throws -> Void
  ) async throws -> String {
    let server = try ServerProcess(["--data", path, "--https", "0"] + arguments)
    let result: Result<Void, any Error>
    do { result = .success(try await body(server)) } catch { result = .failure(error) }
    server.signal(SIGTERM)
    #expect(server.wait() == 0, "\(server.log)", sourceLocation: sourceLocation)
    try result.get()
    return server.log
  }

  /// Runs curl against a server under a name that stands for this machine.
  func curl(
    _ server: ServerProcess, _ path: String, name: String = "cmsc106.net", _ arguments: String...
  ) async throws -> ClientProgram.Result {
    try await ClientProgram(name: "curl").run(
      [
        "-q", "-g", "-sS", "--noproxy", "*", "--max-time", "50", "--resolve",
        "\(name):\(server.httpsPort):127.0.0.1", "https://\(name):\(server.httpsPort)\(path)",
      ] + arguments)
  }
}

@Suite("HTTPS", .enabled(if: ClientProgram.isWanted("curl", "openssl"), "curl and openssl were not found"))
struct HTTPSTests {
  @Test("serves a stood-in name to who trusts its authority, and to nobody else")
  func trust() async throws {
    let folder = try AuthorityFolder()
    let log = try await folder.withServer { server in
      #expect(server.lines.first == "listening on https://cmsc106.net:\(server.httpsPort)")
      let park = "/invasive/parks/13"
      let trusting = try await folder.curl(server, park, "--cacert", folder.authority)
      #expect(trusting.status == 0, "\(trusting.errors)")
      #expect(trusting.output.contains("Devil's Lake"))
      // 60: the peer's certificate can't be verified.
      #expect(try await folder.curl(server, park).status == 60)
      for name in ["localhost", "127.0.0.1"] {
        let answer = try await folder.curl(server, park, name: name, "--cacert", folder.authority)
        #expect(answer.status == 0, "\(name): \(answer.errors)")
      }
      let other = try await folder.curl(server, park, name: "example.com", "--cacert", folder.authority)
      #expect(other.status == 60)
    }
    #expect(log.contains("It doesn't trust the certificate ("))
  }

  #if os(Linux)
    /// Whether ports under 1024 need a right here; in some containers they don't.
    private static let portsAreGuarded =
      (try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding: .utf8))
      .flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0 > 443

    @Test(
      "says in one line how to get the right to a port under 1024",
      .enabled(if: portsAreGuarded, "all may listen"))
    func privilegedPort() throws {
      let folder = try AuthorityFolder()
      let nobody = ["/usr/bin/setpriv", "--reuid", "65534", "--clear-groups", "--inh-caps=-all"]
      let (status, _, errors) = try ServerProcess.run(
        ["serve", "--port", "0", "--https", "443", "--data", folder.path + "/data"],
        launcher: geteuid() == 0 ? nobody : [])
      #expect(status == 1)
      for choice in [
        "port 443 needs a right",
        "setcap cap_net_bind_service=+ep \(ServerProcess.program.resolvingSymlinksInPath().path)",
        "net.ipv4.ip_unprivileged_port_start=443",
        "--publish 443:8443", "--https",
      ] {
        #expect(errors.contains(choice), "\(errors)")
      }
      #expect(errors.split(separator: "\n").count == 1)
    }
  #endif

  @Test("answers over TLS as over plain HTTP, with https in its URLs, pictures and changes too")
  func answers() async throws {
    let folder = try AuthorityFolder()
    try await folder.withServer { server in
      let list = try await folder.curl(server, "/invasive/species", "--cacert", folder.authority)
      let picture = "/invasive/images/garlic-mustard.png"
      #expect(list.output.contains("\"image\":\"https://cmsc106.net:\(server.httpsPort)\(picture)\""))
      // A photograph of its owner's is sent from its file.
      let photograph = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) })
      try photograph.write(to: folder.url.appending(path: "images/garlic-mustard.jpg"))
      for (path, expected) in [("/invasive/images/common-buckthorn.png", nil), (picture, photograph)] {
        let encrypted = try await folder.curl(server, path, "--cacert", folder.authority)
        let plain = try await ClientProgram(name: "curl").run([
          "-q", "-sS", "http://127.0.0.1:\(server.port)\(path)",
        ])
        #expect(encrypted.bytes.count > 1000 && encrypted.bytes == plain.bytes)
        if let expected { #expect(encrypted.bytes == expected) }
      }
      let user = try await folder.curl(
        server, "/directory/users", "--cacert", folder.authority, "-d", #"{"name":"ada","password":"pw"}"#)
      #expect(user.status == 0 && user.output.count >= 16)
      // Kept alive, over one connection: the first makes it.
      let url = "https://cmsc106.net:\(server.httpsPort)/directory/people/\(user.output)"
      let kept = try await folder.curl(
        server, "/directory/people/\(user.output)", "--cacert", folder.authority, "-d", "{}", "-w",
        " %{num_connects}\n", url, url)
      #expect(kept.output == "1 1\n2 0\n3 0\n")
    }
  }
}
