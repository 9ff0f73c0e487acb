import Foundation
import TestSupport
import Testing
import UnderstudyTesting

@testable import Certificates
@testable import HTTP
@testable import Understudy

@Suite("The folder of an authority", .timeLimit(.minutes(2)))
struct CertificateFolderTests {
  private let folder: TemporaryFolder
  private let certificates: CertificateFolder
  private let names = [SubjectName.host("localhost")]
  private let now = time(nil)

  init() throws {
    folder = try TemporaryFolder()
    certificates = CertificateFolder(folder.path("tls"))
  }

  private func contents(_ name: String) throws -> Data {
    try Data(contentsOf: folder.url.appending(path: name))
  }

  private func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
  }

  /// Has every attempt to write a file fail, for root too.
  private func block(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path(name + ".new/full"), withIntermediateDirectories: true)
  }

  @Test("is its owner's alone")
  func modes() throws {
    let authority = try certificates.makeAuthority(host: "here", names: [])
    _ = try certificates.identity(from: authority, for: names)
    #expect(try mode("tls") == 0o700)
    #expect(try ["ca.key", "server.pem", "ca.pem"].map { try mode("tls/\($0)") } == [0o600, 0o600, 0o644])
  }

  @Test("a key can't be read by others while it is written, nor by who has the file open that was there")
  func written() throws {
    try folder.write("left over", to: "key.new")
    let reader = try FileHandle(forReadingFrom: folder.url.appending(path: "key.new"))
    let new = try NewFile(Array("secret".utf8), for: folder.path("key"), mode: 0o600)
    #expect(try mode("key.new") == 0o600)
    #expect(try reader.readToEnd() == Data("left over".utf8))
    try new.takePlace()
    #expect(try contents("key") == Data("secret".utf8))
    // Nor does a link lead it to another file.
    try folder.write("somebody's", to: "other")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("key.new"), withDestinationPath: folder.path("other"))
    try NewFile(Array("new".utf8), for: folder.path("key"), mode: 0o600).takePlace()
    #expect(try contents("other") == Data("somebody's".utf8))
    #expect(try contents("key") == Data("new".utf8))
  }

  @Test("an authority stays whole where another can't be written", arguments: ["ca.key", "ca.pem"])
  func fullDisk(file: String) throws {
    let first = try certificates.makeAuthority(host: "here", names: [])
    _ = try certificates.identity(from: first, for: names)
    let files = ["tls/ca.pem", "tls/ca.key", "tls/server.pem"]
    let before = try files.map(contents)
    try block("tls/\(file)")
    let error = #expect(throws: CertificateError.self) {
      try certificates.makeAuthority(host: "here", names: [])
    }
    guard case .unwritable(let path, _) = error else { throw try #require(error) }
    #expect(path == folder.path("tls/\(file)"))
    #expect(try files.map(contents) == before)
    #expect(!folder.exists("tls/ca.key.new") || file == "ca.key")
    #expect(try certificates.authority()?.certificate.fingerprint == first.certificate.fingerprint)
  }

  @Test("none is made by a clock that can't be right, and none is used before it begins")
  func clocks() throws {
    #expect(throws: CertificateError.clock(10)) {
      try certificates.makeAuthority(host: "here", names: [], now: 10)
    }
    #expect(!folder.exists("tls"))
    let late = now + 20 * 365 * 86_400
    let authority = try certificates.makeAuthority(host: "here", names: [], now: late)
    #expect(throws: CertificateError.notYet(folder.path("tls/ca.pem"), authority.certificate.start)) {
      try certificates.identity(from: authority, for: names, now: now)
    }
    #expect(!folder.exists("tls/server.pem"))
    #expect(try certificates.identity(from: authority, for: names, now: late).certificate.covers(names[0]))
    // Nor is what is there already, which no client would take.
    #expect(throws: CertificateError.notYet(folder.path("tls/ca.pem"), authority.certificate.start)) {
      try certificates.identity(from: authority, for: names, now: now)
    }
  }

  @Test("what is there is shown though the machine has begun in 1970 again")
  func lostClock() throws {
    let authority = try certificates.makeAuthority(host: "here", names: [])
    _ = try certificates.identity(from: authority, for: names)
    // Not its first one, which begins when the authority does.
    let later = now + 300 * 86_400
    let known = try certificates.identity(from: authority, for: names, now: later)
    try #require(known.certificate.start > authority.certificate.start)
    let shown = try certificates.identity(from: authority, for: names, now: 100)
    #expect(shown.certificate.fingerprint == known.certificate.fingerprint)
  }

  @Test("a certificate that can't be renewed is told of in words that help")
  func renewalFails() throws {
    let log = folder.path("log")
    let descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    defer { close(descriptor) }
    let server = try TestServer { options in
      options.dataFolder = folder.path
      options.httpsPorts = [0]
      options.logDescriptor = descriptor
      // Seconds, in which it becomes as old as others in a year.
      options.certificateLifetime = 3
      options.certificatePeriod = 0.02
    }
    defer { server.stop() }
    try block("tls/server.pem")
    let deadline = ContinuousClock.now + .seconds(30)
    var lines: [Substring] = []
    while lines.isEmpty, ContinuousClock.now < deadline {
      usleep(20_000)
      lines = String(decoding: try contents("log"), as: UTF8.self).split(separator: "\n")
    }
    #expect(lines.first?.contains("can't renew the certificate") == true)
    #expect(
      lines.first?.contains("can't write \(folder.path("tls/server.pem"))") == true
        && lines.first?.contains("make the folder writable") == true)
  }

  @Test("nothing is written there after the end")
  func closed() throws {
    let log = try Log(level: .error, format: .text, descriptor: STDERR_FILENO, queueLimit: 10)
    defer { log.close() }
    for _ in 0..<10 {
      let authority = try certificates.makeAuthority(host: "here", names: [])
      // Old as soon as it is there, so that the next one is always being made.
      let issuer = ServerIdentity.Issuer(
        folder: certificates, authority: authority, names: [], lifetime: 0, dataFolder: folder.path)
      let identity = try ServerIdentity(issuer, period: 0, log: log)
      usleep(3000)
      identity.close()
      try FileManager.default.removeItem(atPath: certificates.server)
      usleep(10_000)
      #expect(!folder.exists("tls/server.pem"))
    }
  }
}
