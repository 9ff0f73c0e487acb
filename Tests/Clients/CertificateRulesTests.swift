import Foundation
import TestSupport
import Testing

/// Rules that clients have for certificates, asked of two other implementations than the one that made them.
@Suite(
  "Certificates", .enabled(if: ClientProgram.isWanted("openssl", "certtool", "curl"), "openssl wasn't found"))
struct CertificateRulesTests {
  /// A folder in which a server has made its authority and certificate.
  private func madeFolder(_ names: [String] = ["cmsc106.net"]) async throws -> AuthorityFolder {
    let folder = try AuthorityFolder()
    try await folder.withServer(names.flatMap { ["--name", $0] }) { _ in }
    return folder
  }

  /// The value of an extension, and whether it is critical.
  private func value(_ name: String, in text: String) -> (isCritical: Bool, value: String)? {
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    guard let index = lines.firstIndex(where: { $0.hasPrefix("X509v3 \(name):") }), index + 1 < lines.count
    else { return nil }
    return (lines[index].hasSuffix("critical"), lines[index + 1])
  }

  private func days(_ text: String) throws -> Double {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "MMM d HH:mm:ss yyyy zzz"
    func date(_ label: String) throws -> Date {
      let line = try #require(text.split(separator: "\n").first { $0.contains(label) })
      let value = line[try #require(line.range(of: label)).upperBound...].drop { $0 == " " || $0 == ":" }
      return try #require(format.date(from: value.split(separator: " ").joined(separator: " ")))
    }
    return try date("Not After").timeIntervalSince(date("Not Before")) / 86_400
  }

  @Test("a server's certificate keeps Apple's rules")
  func apple() async throws {
    let folder = try await madeFolder(["cmsc106.net", "203.0.113.7"])
    let text = try await OpenSSL.text(of: folder.server)
    #expect(text.contains("Signature Algorithm: ecdsa-with-SHA256"))
    #expect(text.contains("ASN1 OID: prime256v1"))
    #expect(value("Extended Key Usage", in: text)?.value == "TLS Web Server Authentication")
    let names = try #require(value("Subject Alternative Name", in: text)?.value.components(separatedBy: ", "))
    for name in ["DNS:cmsc106.net", "IP Address:203.0.113.7", "DNS:localhost", "IP Address:127.0.0.1"] {
      #expect(names.contains(name))
    }
    let host = ProcessInfo.processInfo.hostName.split(separator: ".")[0].lowercased()
    #expect(names.contains("DNS:\(host).local"))
    // Apple's limit for authorities that a user trusts is 825, everybody's for others is 398.
    #expect(try (300...397).contains(days(text)))
    #expect(value("Basic Constraints", in: text)?.value == "CA:FALSE")
    #expect(try #require(value("Key Usage", in: text)) == (true, "Digital Signature"))
    #expect(value("Authority Key Identifier", in: text) != nil)
    #expect(value("Subject Key Identifier", in: text) != nil)
  }

  @Test(
    "an authority says whose it is, may sign nothing but certificates, and few names; so does what signs for it",
    arguments: [("Understudy", "ca.pem", 1), ("Signer", "ca.key", 0)])
  func authority(name: String, file: String, below: Int) async throws {
    let folder = try await madeFolder(["cmsc106.net", "203.0.113.7"])
    let text = try await OpenSSL.text(of: "\(folder.path)/tls/\(file)")
    let subject = try #require(text.split(separator: "\n").first { $0.contains("Subject:") })
    #expect(subject.contains(try Regex(#"CN = "\#(name) on [^,]+, \d{4}-\d\d-\d\d""#)))
    #expect(try #require(value("Basic Constraints", in: text)) == (true, "CA:TRUE, pathlen:\(below)"))
    #expect(try #require(value("Key Usage", in: text)) == (true, "Certificate Sign, CRL Sign"))
    #expect(try (3640...3660).contains(days(text)))
    // Apple's rules for these too.
    #expect(text.contains("Signature Algorithm: ecdsa-with-SHA256") && text.contains("ASN1 OID: prime256v1"))
    #expect(value("Name Constraints", in: text)?.isCritical == true)
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let permitted = lines.filter { $0.hasPrefix("DNS:") || $0.hasPrefix("IP:") || $0.hasPrefix("email:") }
    #expect(
      permitted == [
        "DNS:cmsc106.net", "IP:203.0.113.7/255.255.255.255", "DNS:localhost", "DNS:local",
        "IP:10.0.0.0/255.0.0.0", "IP:172.16.0.0/255.240.0.0", "IP:192.168.0.0/255.255.0.0",
        "IP:127.0.0.0/255.0.0.0", "IP:169.254.0.0/255.255.0.0", "IP:FC00:0:0:0:0:0:0:0/FE00:0:0:0:0:0:0:0",
        "IP:FE80:0:0:0:0:0:0:0/FFC0:0:0:0:0:0:0:0",
        "IP:0:0:0:0:0:0:0:1/FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF", "email:invalid",
      ])
    for file in [folder.authorityKey, folder.server] {
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
      #expect(mode?.intValue == 0o600, "\(file)")
    }
  }

  @Test("nobody has the key of the authority itself, with which constraints could be signed away")
  func forgottenKey() async throws {
    let folder = try await madeFolder()
    let openssl = ClientProgram(name: "openssl")
    let trusted = try await openssl.succeed(["x509", "-in", folder.authority, "-noout", "-pubkey"])
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path + "/tls")
    where file != "ca.pem" {
      let kept = try await openssl.succeed(["pkey", "-in", "\(folder.path)/tls/\(file)", "-pubout"])
      #expect(kept.hasPrefix("-----BEGIN PUBLIC KEY-----") && kept != trusted)
    }
  }

  @Test("OpenSSL at its strictest and GnuTLS verify both")
  func verified() async throws {
    let folder = try await madeFolder()
    let strict = try await OpenSSL.verify(folder.server, authority: folder.authority, name: "cmsc106.net")
    #expect(strict.status == 0, "\(strict.output) \(strict.errors)")
    let itself = try await ClientProgram(name: "openssl").run([
      "verify", "-x509_strict", "-CAfile", folder.authority, folder.authority,
    ])
    #expect(itself.status == 0, "\(itself.output) \(itself.errors)")
    let gnutls = try await ClientProgram(name: "certtool").run([
      "--verify", "--load-ca-certificate", folder.authority, "--infile", folder.server, "--verify-hostname",
      "cmsc106.net", "--verify-purpose", "1.3.6.1.5.5.7.3.1",
    ])
    #expect(gnutls.status == 0, "\(gnutls.output) \(gnutls.errors)")
  }

  @Test("a certificate for somebody else's name is refused, though the authority's key has signed it")
  func constraint() async throws {
    let folder = try await madeFolder()
    for (name, isPermitted) in [
      ("www.cmsc106.net", true), ("example.com", false), ("cmsc106.net.evil", false),
    ] {
      let files = try await OpenSSL.sign(
        name: name, with: folder.authorityKey, in: folder.url)
      let verdict = try await OpenSSL.verify(files.certificate, authority: folder.authority, name: name)
      #expect((verdict.status == 0) == isPermitted, "\(name): \(verdict.output) \(verdict.errors)")
      if !isPermitted { #expect(verdict.errors.contains("permitted subtree violation")) }
      let gnutls = try await ClientProgram(name: "certtool").run([
        "--verify", "--load-ca-certificate", folder.authority, "--infile", files.certificate,
      ])
      #expect((gnutls.status == 0) == isPermitted, "\(name): \(gnutls.output)")
      let options = ["--name", name, "--tls-cert", files.certificate, "--tls-key", files.key]
      try await folder.withServer(options) { server in
        let answer = try await folder.curl(
          server, "/invasive/parks/13", name: name, "--cacert", folder.authority)
        #expect(answer.status == (isPermitted ? 0 : 60), "\(name): \(answer.errors)")
      }
    }
  }

  @Test(
    "authority and certificate stay over a restart, and names that the authority may sign for are added"
  )
  func restart() async throws {
    let folder = try await madeFolder()
    let (authority, server) = try (
      Data(contentsOf: URL(fileURLWithPath: folder.authority)),
      Data(contentsOf: URL(fileURLWithPath: folder.server))
    )
    try await folder.withServer { _ in }
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.server)) == server)
    try await folder.withServer(["--name", "cmsc106.net", "--name", "class.local,10.20.30.40"]) { server in
      for name in ["cmsc106.net", "class.local", "10.20.30.40"] {
        let answer = try await folder.curl(server, "/", name: name, "--cacert", folder.authority)
        #expect(answer.status == 0, "\(name): \(answer.errors)")
      }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.server)) != server)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.authority)) == authority)
  }
}
