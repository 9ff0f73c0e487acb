import Foundation
import TestSupport
import Testing

@testable import Certificates

/// Certificates that a user brings, in files.
@Suite(
  "One's own certificate", .enabled(if: ClientProgram.isWanted("curl", "openssl"), "openssl wasn't found"))
struct OwnCertificateTests {
  private let name = SubjectName.host("own.example")
  private let now = time(nil)

  /// A file with a certificate and its key that another authority has signed, whose certificate lies beside it.
  private func file(
    _ label: String, in folder: AuthorityFolder, from start: Int? = nil, lasting days: Int = 30
  )
    throws -> String
  {
    let certificates = CertificateFolder(folder.path + "/" + label)
    let authority = try certificates.makeAuthority(
      host: "somewhere", names: [name], now: min(now, start ?? now))
    let pem = try authority.issue(names: [name], lifetime: days * 86_400, now: start ?? now)
    try Data(pem).write(to: URL(fileURLWithPath: certificates.server))
    return certificates.server
  }

  private func options(_ file: String, key: String? = nil, names: [String] = ["own.example"]) -> [String] {
    ["--tls-cert", file, "--tls-key", key ?? file] + names.flatMap { ["--name", $0] }
  }

  @Test("is shown, and makes no authority")
  func shown() async throws {
    let folder = try AuthorityFolder()
    let file = try file("a", in: folder)
    try await folder.withServer(options(file)) { server in
      let answer = try await folder.curl(
        server, "/invasive/parks/13", name: "own.example", "--cacert", folder.path + "/a/ca.pem")
      #expect(answer.status == 0, "\(answer.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/tls"))
  }

  @Test("is read again on SIGHUP, without a restart, and kept where the new one can't be used")
  func reread() async throws {
    let folder = try AuthorityFolder()
    let (used, second) = (try file("a", in: folder), try file("b", in: folder))
    let log = try await folder.withServer(options(used)) { server in
      let before = try await OpenSSL.fingerprint(servedAt: server.httpsPort)
      let next = try Data(contentsOf: URL(fileURLWithPath: second))
      try next.write(to: URL(fileURLWithPath: used))
      #expect(try await OpenSSL.fingerprint(servedAt: server.httpsPort) == before)
      server.signal(SIGHUP)
      let expected = try await OpenSSL.fingerprint(of: next)
      #expect(try await eventually { try await OpenSSL.fingerprint(servedAt: server.httpsPort) == expected })
      try Data("nonsense".utf8).write(to: URL(fileURLWithPath: used))
      server.signal(SIGHUP)
      #expect(try await eventually { server.log.contains("kept the certificate that it had") })
      #expect(try await OpenSSL.fingerprint(servedAt: server.httpsPort) == expected)
    }
    #expect(log.contains("there is no sound certificate in \(used)"))
  }

  @Test(
    "is refused in one line, which says why, where clients would refuse it or it can't be used",
    arguments: [
      ("ended", "ended on 20"), ("not yet", "begins only on 20"), ("mismatch", "is not the key of"),
      ("other name", "is not for cmsc106.net"), ("no certificate", "no sound certificate in"),
      ("no key", "no private key in"), ("missing", "No such file or directory"), ("locked", "passphrase"),
    ])
  func refusals(kind: String, reason: String) async throws {
    let folder = try AuthorityFolder()
    let sound = try file("sound", in: folder)
    let text = folder.path + "/text"
    try Data("Dear diary".utf8).write(to: URL(fileURLWithPath: text))
    var arguments = options(sound)
    switch kind {
    case "ended": arguments = options(try file("old", in: folder, from: now - 86_400 * 90))
    case "not yet": arguments = options(try file("new", in: folder, from: now + 86_400 * 90))
    case "mismatch": arguments = options(sound, key: try file("other", in: folder))
    case "other name": arguments = options(sound, names: ["own.example", "cmsc106.net"])
    case "no certificate": arguments = options(text, key: sound)
    case "no key": arguments = options(sound, key: text)
    case "missing": arguments = options(folder.path + "/missing")
    default:
      let locked = folder.path + "/locked"
      try await ClientProgram(name: "openssl").succeed([
        "pkcs8", "-topk8", "-in", sound, "-out", locked, "-passout", "pass:secret",
      ])
      arguments = options(sound, key: locked)
    }
    let data = folder.path + "/data"
    let (status, _, errors) = try ServerProcess.run(
      ["serve", "--port", "0", "--https", "0", "--data", data] + arguments)
    #expect(status == 1)
    #expect(errors.contains(reason), "\(errors)")
    #expect(errors.contains("--tls-cert") || errors.contains("leave out --name"), "\(errors)")
    #expect(errors.split(separator: "\n").count == 1)
    #expect(!FileManager.default.fileExists(atPath: data + "/understudy.sqlite"))
  }
}

/// Waits until something is so.
///
/// - Returns: false when half a minute has passed and it isn't, and it has been looked often enough: on a busy machine
///   most of the time goes by between two looks.
func eventually(_ isSo: () async throws -> Bool) async throws -> Bool {
  let start = ContinuousClock.now
  var looks = 0
  while looks < 10 || ContinuousClock.now - start < .seconds(30) {
    looks += 1
    if try await isSo() { return true }
    try await Task.sleep(for: .milliseconds(250))
  }
  return false
}
