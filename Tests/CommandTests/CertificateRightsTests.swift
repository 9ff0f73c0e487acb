import Foundation
import TestSupport
import Testing

@Suite("Rights to the files of an authority")
struct CertificateRightsTests {
  #if os(Linux)
    @Test(
      "who may not read an authority is told whose it is, and not to make another one",
      .enabled(if: OtherUser.isAvailable))
    func foreign() throws {
      let folder = try TemporaryFolder()
      #expect(chmod(folder.path, 0o755) == 0)
      let data = folder.path + "/data"
      #expect(try ServerProcess.run(["certificate", "--data", data, "--new-authority"]).status == 0)
      let nobody = OtherUser.launcher(OtherUser.nobody)
      // The folder itself is open, or isn't.
      for mode: mode_t in [0o755, 0o700] {
        #expect(chmod(data, mode) == 0)
        for arguments in [[], ["--install"]] {
          let (status, output, errors) = try ServerProcess.run(
            ["certificate", "--data", data] + arguments, launcher: nobody)
          #expect(status == 1 && output.isEmpty)
          #expect(
            errors.contains(
              "may not read \(data)/tls/ca.pem, whose owner is root: run this as that user, or with sudo"),
            "\(errors)")
          #expect(!errors.contains("new-authority") && errors.split(separator: "\n").count == 1)
        }
      }
    }
  #endif

  @Test("keys that others can read are closed to them at the start, and the log says so")
  func open() throws {
    let folder = try TemporaryFolder()
    func logOfOneRun() throws -> String {
      let server = try ServerProcess(["--data", folder.path, "--https", "0"])
      server.signal(SIGTERM)
      #expect(server.wait() == 0)
      return server.log
    }
    #expect(try !logOfOneRun().contains("a key was open to others"))
    let keys = ["ca.key", "server.pem"].map { folder.path + "/tls/" + $0 }
    #expect(chmod(keys[0], 0o644) == 0 && chmod(keys[1], 0o640) == 0)
    let log = try logOfOneRun()
    for (key, mode) in zip(keys, ["644", "640"]) {
      #expect(log.contains("\(key) had the mode \(mode), and has 600 now"), "\(log)")
      var status = stat()
      #expect(stat(key, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
    #expect(try !logOfOneRun().contains("a key was open to others"))
  }

  @Test(
    "one's own certificate that clients refuse for its key or its purpose is served with a warning",
    arguments: [
      (["rsa:1024"], "its key has 1024 bits"),
      (["rsa:2048", "-addext", "extendedKeyUsage=clientAuth"], "its extended key usage has no serverAuth"),
      (["rsa:2048", "-addext", "extendedKeyUsage=clientAuth,serverAuth"], nil), (["rsa:2048"], nil),
    ])
  func weak(options: [String], warning: String?) throws {
    let folder = try TemporaryFolder()
    let (certificate, key) = (folder.path + "/c.pem", folder.path + "/k.pem")
    let openssl = Process()
    openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    openssl.arguments =
      ["req", "-x509", "-nodes", "-subj", "/CN=a", "-addext", "subjectAltName=DNS:a.example", "-keyout", key]
      + ["-out", certificate, "-newkey"] + options
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
    try #require(openssl.terminationStatus == 0)
    let server = try ServerProcess([
      "--data", folder.path + "/data", "--https", "0", "--tls-cert", certificate, "--tls-key", key,
    ])
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
    #expect(server.log.contains("clients will refuse the certificate") == (warning != nil), "\(server.log)")
    if let warning { #expect(server.log.contains(warning), "\(server.log)") }
  }
}
