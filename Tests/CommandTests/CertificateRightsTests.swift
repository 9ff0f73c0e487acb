import Foundation
import TestSupport
import Testing

@Suite("Rights to the files of an authority")
struct CertificateRightsTests {
  #if os(Linux)
    @Test(
      "who may not read an authority is told whose it is, and not to make another one",
      .enabled(if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
    func foreign() throws {
      let folder = try TemporaryFolder()
      #expect(chmod(folder.path, 0o755) == 0)
      let data = folder.path + "/data"
      #expect(try ServerProcess.run(["certificate", "--data", data, "--new-authority"]).status == 0)
      let nobody = ["/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
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
}
