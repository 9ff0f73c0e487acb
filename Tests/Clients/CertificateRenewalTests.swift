import Foundation
import TestSupport
import Testing
import UnderstudyTesting

@testable import Certificates
@testable import Understudy

@Suite(
  "Certificates that are renewed",
  .enabled(if: ClientProgram.isWanted("curl", "openssl"), "openssl wasn't found"))
struct CertificateRenewalTests {
  @Test("before one ends there is another, without a restart and from the same authority")
  func beforeTheEnd() async throws {
    let folder = try AuthorityFolder()
    let server = try TestServer { options in
      options.dataFolder = folder.path
      options.httpsPorts = [0]
      options.names = [.host("cmsc106.net")]
      // Seconds, in which it becomes as old as others in a year.
      options.certificateLifetime = 9
      options.certificatePeriod = 0.1
    }
    let port = try #require(server.httpsPorts.first)
    let authority = try Data(contentsOf: URL(fileURLWithPath: folder.authority))
    var shown: [String] = []
    let isRenewed = try await eventually {
      let fingerprint = try await OpenSSL.fingerprint(servedAt: port)
      if shown.last != fingerprint { shown.append(fingerprint) }
      let answer = try await ClientProgram(name: "curl").run([
        "-q", "-sS", "--noproxy", "*", "--resolve", "cmsc106.net:\(port):127.0.0.1",
        "https://cmsc106.net:\(port)/invasive/parks/13", "--cacert", folder.authority,
      ])
      #expect(answer.status == 0, "\(answer.errors)")
      return shown.count == 3
    }
    #expect(isRenewed, "\(shown)")
    server.stop()
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.authority)) == authority)
  }

  @Test("one that lasts as long as its authority isn't made again and again")
  func endOfAuthority() throws {
    let folder = try AuthorityFolder()
    let certificates = CertificateFolder(folder.path + "/tls")
    let (names, now) = ([SubjectName.host("localhost")], time(nil))
    let late = now + CertificateAuthority.lifetime - 10 * 86_400
    let authority = try certificates.makeAuthority(host: "here", names: [], now: now)
    let first = try certificates.identity(from: authority, for: names, now: late)
    #expect(first.certificate.end == authority.certificate.end)
    let later = try certificates.identity(from: authority, for: names, now: late + 8 * 86_400)
    #expect(later.certificate.fingerprint == first.certificate.fingerprint)
    let error = #expect(throws: CertificateError.self) {
      try certificates.identity(from: authority, for: [.host("x.local")], now: late + 11 * 86_400)
    }
    #expect(error == .ended(certificates.authorityCertificate, authority.certificate.end))
  }

  #if os(Linux)
    @Test(
      "an address that the machine gets while the server runs is in it soon",
      .enabled(if: NetworkNamespace.isAvailable, "a network can't be made here"))
    func newAddress() async throws {
      let folder = try AuthorityFolder()
      let server = try ServerProcess(
        ["--data", folder.path, "--https", "0"], launcher: NetworkNamespace.launcher)
      let enter = NetworkNamespace.entry(to: server.processIdentifier)
      func inside(_ command: [String]) async throws -> ClientProgram.Result {
        try await ClientProgram(name: enter[0]).run(Array(enter.dropFirst()) + command)
      }
      let get = [
        "curl", "-q", "-sS", "--noproxy", "*", "--cacert", folder.authority,
        "https://10.9.8.7:\(server.httpsPort)/invasive/parks/13",
      ]
      #expect(try await inside(get).status != 0)
      #expect(try await inside(["ip", "address", "add", "10.9.8.7/8", "dev", "lo"]).status == 0)
      #expect(try await eventually { try await inside(get).status == 0 })
      server.signal(SIGTERM)
      #expect(server.wait() == 0)
      #expect(server.log.contains("renewed the certificate"))
    }
  #endif
}

#if os(Linux)
  /// A network of a program's own, which has nothing but its loopback interface.
  enum NetworkNamespace {
    private static let isRoot = geteuid() == 0

    /// What a program is started with that is to have one; who isn't root becomes it in a user namespace.
    static let launcher = [
      "/usr/bin/unshare", isRoot ? "-n" : "-rn", "sh", "-c", "ip link set lo up && exec \"$0\" \"$@\"",
    ]

    /// What another one is started with that is to be in that of a process.
    static func entry(to process: Int32) -> [String] {
      ["/usr/bin/nsenter", "--target", "\(process)", "--net"]
        + (isRoot ? [] : ["--user", "--preserve-credentials"])
    }

    /// Whether this machine lets a network be made; a container mostly doesn't.
    static let isAvailable: Bool = {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: launcher[0])
      process.arguments = Array(launcher.dropFirst()) + ["true"]
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }()
  }
#endif
