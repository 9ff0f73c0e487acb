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
      .enabled(if: Machine.isAvailable, "this machine lets no mount and network namespaces be made"))
    func newAddress() async throws {
      let machine = try Machine(["--https", "0"], folder: AuthorityFolder())
      let server = machine.server
      let get = [
        "curl", "-q", "-sS", "--cacert", machine.folder.authority,
        "https://10.9.8.7:\(server.httpsPort)/invasive/parks/13",
      ]
      #expect(try await machine.run(get).status != 0)
      #expect(try await machine.run(["ip", "address", "add", "10.9.8.7/8", "dev", "lo"]).status == 0)
      #expect(try await eventually { try await machine.run(get).status == 0 })
      server.signal(SIGTERM)
      #expect(server.wait() == 0)
      #expect(server.log.contains("renewed the certificate"))
    }
  #endif
}
