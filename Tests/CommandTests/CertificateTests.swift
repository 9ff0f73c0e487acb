import Foundation
import TestSupport
import Testing

@Suite("understudy certificate")
struct CertificateTests {
  private func certificate(_ arguments: String..., launcher: [String] = []) throws -> (
    status: Int32, output: String, errors: String
  ) {
    try ServerProcess.run(["certificate"] + arguments, launcher: launcher)
  }

  /// The value that a line of the output has behind its name.
  private func value(_ name: String, in output: String) -> String? {
    output.split(separator: "\n").first { $0.hasPrefix(name + " ") }.map {
      String($0.dropFirst(name.count).drop { $0 == " " })
    }
  }

  @Test("says where the authority is, its fingerprint, names and dates, while a server has the folder too")
  func describes() throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(["--data", folder.path, "--https", "0", "--name", "cmsc106.net"])
    let (status, output, errors) = try certificate("--data", folder.path)
    #expect(status == 0 && errors.isEmpty)
    #expect(value("authority", in: output) == folder.path + "/tls/ca.pem")
    #expect(value("common name", in: output)?.hasPrefix("Understudy on ") == true)
    let fingerprint = try #require(value("SHA-256", in: output))
    #expect(fingerprint.wholeMatch(of: #/([0-9A-F]{2}:){31}[0-9A-F]{2}/#) != nil)
    #expect(value("valid", in: output)?.wholeMatch(of: #/\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d/#) != nil)
    #expect(value("vouches for", in: output) == "cmsc106.net, localhost, .local, private addresses")
    #expect(value("names", in: output)?.hasPrefix("cmsc106.net, localhost, ") == true)
    // The server has the authority in use.
    let (refused, _, complaint) = try certificate("--data", folder.path, "--new-authority")
    #expect(refused == 1)
    #expect(complaint.contains("in use by another server"))
    #expect(try certificate("--data", folder.path).output == output)
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
  }

  #if os(Linux)
    /// A machine of its own, with an address that is nobody's (RFC 5737) and so taken for a public one.
    private static let elsewhere = [
      "/usr/bin/env", "unshare", "--map-root-user", "--net", "sh", "-c",
      "ip link set lo up && ip address add 203.0.113.5/32 dev lo && exec \"$0\" \"$@\"",
    ]

    private static let hasElsewhere =
      (try? ServerProcess.run(["--version"], launcher: elsewhere).status) == 0

    @Test(
      "a public address of the machine's is told when it starts, until it is a name of the certificate",
      .enabled(if: hasElsewhere, "no network namespace can be made here"))
    func publicAddress() throws {
      let said = "https is not for 203.0.113.5, a public address: --name 203.0.113.5 has"
      for (arguments, isSaid) in [
        (["--https", "0"], true), (["--https", "0", "--name", "203.0.113.5"], false), ([], false),
      ] {
        let server = try ServerProcess(["--ephemeral"] + arguments, launcher: Self.elsewhere)
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
        var lines = server.lines
        while let line = try? server.nextLine() { lines.append(line) }
        #expect(lines.contains { $0.hasPrefix(said) } == isSaid, "\(lines)")
      }
    }
  #endif

  @Test("a server that is given names and no port for HTTPS says that they do little")
  func namesAlone() throws {
    for (ports, isSaid) in [([], true), (["--https", "0"], false)] {
      let server = try ServerProcess(["--ephemeral", "--name", "cmsc106.net"] + ports)
      server.signal(SIGTERM)
      #expect(server.wait() == 0)
      #expect(server.log.contains("without --https, --name only has /connect say") == isSaid)
    }
  }

  @Test("refuses a folder without one, and makes none there")
  func none() throws {
    let folder = try TemporaryFolder()
    let (status, output, errors) = try certificate("--data", folder.path + "/data")
    #expect(status == 1 && output.isEmpty)
    #expect(errors.contains("there is no authority in"))
    #expect(folder.contents.isEmpty)
  }

  @Test("a name that the authority may not sign for needs a new one, which the server then has")
  func newAuthority() throws {
    let folder = try TemporaryFolder()
    let first = try ServerProcess(["--data", folder.path, "--https", "0", "--name", "cmsc106.net"])
    first.signal(SIGTERM)
    #expect(first.wait() == 0)
    let before = folder.contents
    let serve = ["serve", "--port", "0", "--https", "0", "--data", folder.path]
    let (status, _, errors) = try ServerProcess.run(
      serve + ["--name", "cmsc106.net", "--name", "other.example"])
    #expect(status == 1)
    #expect(errors.contains("may not sign for other.example"))
    let remedy = "certificate --new-authority --data \(folder.path) --name cmsc106.net,other.example"
    #expect(errors.contains("understudy \(remedy)"), "\(errors)")
    #expect(errors.split(separator: "\n").count == 1)
    #expect(folder.contents == before)
    let old = try #require(value("SHA-256", in: certificate("--data", folder.path).output))
    let made = try ServerProcess.run(remedy.split(separator: " ").map(String.init))
    #expect(made.status == 0)
    #expect(made.output.contains("still trusted where it was") && made.output.contains(old))
    #expect(value("SHA-256", in: made.output) != old)
    // Without names it is for what the last one was for.
    let again = try certificate("--data", folder.path, "--new-authority")
    #expect(value("vouches for", in: again.output)?.hasPrefix("cmsc106.net, other.example, ") == true)
    let second = try ServerProcess(
      ["--data", folder.path, "--https", "0"], environment: ["UNDERSTUDY_NAMES": "cmsc106.net, other.example"]
    )
    #expect(second.lines.contains("listening on https://other.example:\(second.httpsPort)"))
    second.signal(SIGTERM)
    #expect(second.wait() == 0)
  }

  @Test(
    "a damaged authority is refused in one line that says what to do",
    arguments: [
      ("ca.pem", "no sound certificate"), ("ca.key", "no private key"), ("other", "is not the key of"),
    ])
  func damaged(file: String, reason: String) throws {
    let folder = try TemporaryFolder()
    func serveOnce(_ path: String) throws {
      let server = try ServerProcess(["--data", path, "--https", "0"])
      server.signal(SIGTERM)
      #expect(server.wait() == 0)
    }
    try serveOnce(folder.path)
    let tls = folder.url.appending(path: "tls")
    if file == "other" {
      let other = try TemporaryFolder()
      try serveOnce(other.path)
      try Data(contentsOf: other.url.appending(path: "tls/ca.key")).write(to: tls.appending(path: "ca.key"))
    } else {
      let whole = try Data(contentsOf: tls.appending(path: file))
      try whole.prefix(whole.count / 2).write(to: tls.appending(path: file))
    }
    let before = folder.contents
    let (status, _, errors) = try ServerProcess.run([
      "serve", "--port", "0", "--https", "0", "--data", folder.path,
    ])
    #expect(status == 1)
    #expect(errors.contains(reason) && errors.contains("--new-authority"), "\(errors)")
    #expect(errors.split(separator: "\n").count == 1)
    #expect(folder.contents == before)
  }

  @Test("makes what a power cut has left half of anew: a key without its certificate, a half server's file")
  func halfMade() throws {
    let folder = try TemporaryFolder()
    let tls = folder.url.appending(path: "tls")
    try FileManager.default.createDirectory(at: tls, withIntermediateDirectories: true)
    for file in ["ca.key", "ca.pem.new", "server.pem"] {
      try Data("-----BEGIN".utf8).write(to: tls.appending(path: file))
    }
    let server = try ServerProcess(["--data", folder.path, "--https", "0"])
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: tls.path).sorted()
        == ["ca.key", "ca.pem", "server.pem"])
    #expect(try certificate("--data", folder.path).status == 0)
  }

  #if os(Linux)
    /// A machine's trust as Debian has it, with Java's and dpkg's record of that, seen only by the programs that it
    /// launches.
    private static let trustStore = """
      set -e
      cp -r /etc/ssl/certs "$TRUST"
      mount -t tmpfs tmpfs /usr/local/share/ca-certificates
      mount --bind "$TRUST" /etc/ssl/certs
      for state in dpkg ca-certificates-java; do
        test -d "/var/lib/$state" || continue
        # Locks, which only root can read, are made anew.
        cp -r "/var/lib/$state" "$TRUST-$state" 2> /dev/null || true
        mount --bind "$TRUST-$state" "/var/lib/$state"
      done
      rm -f /var/lib/ca-certificates-java/pending
      exec sh -c "$0" "$1"
      """

    /// Runs a script on such a machine, `$0` being the program.
    private func onAMachine(
      _ script: String, in folder: TemporaryFolder, path: String = "/usr/local/bin:/usr/bin:/bin"
    ) throws -> (status: Int32, output: String, errors: String) {
      try ServerProcess.run(
        [], environment: ["TRUST": folder.path + "/certs", "PATH": path],
        launcher: [
          "/usr/bin/unshare", geteuid() == 0 ? "-m" : "-rm", "sh", "-c", Self.trustStore, script,
        ])
    }

    @Test(
      "has Debian trust the authority, and takes that back, printing what it runs",
      .enabled(if: MountedDisk.isAvailable, "a disk can't be mounted here"))
    func install() throws {
      let folder = try TemporaryFolder()
      let data = folder.path + "/data"
      _ = try certificate("--data", data, "--new-authority")
      let script = """
        set -e
        openssl verify \(data)/tls/ca.pem && exit 3
        "$0" certificate --data \(data) --install
        openssl verify \(data)/tls/ca.pem
        "$0" certificate --data \(data) --uninstall
        openssl verify \(data)/tls/ca.pem && exit 4
        test -z "$(ls -A /usr/local/share/ca-certificates)"
        """
      let (status, output, errors) = try onAMachine(script, in: folder)
      #expect(status == 0, "\(output) \(errors)")
      let commands = output.split(separator: "\n").filter { $0.hasPrefix("+ ") }.map(String.init)
      try #require(commands.count == 4, "\(output) \(errors)")
      let file = try #require(commands[0].split(separator: " ").last)
      #expect(file.hasPrefix("/usr/local/share/ca-certificates/understudy-"))
      #expect(commands[0] == "+ install -D -T -m 644 \(data)/tls/ca.pem \(file)")
      #expect(commands[1] == "+ update-ca-certificates" && commands[3].hasPrefix(commands[1]))
      #expect(output.contains("\n0 added, 1 removed; done.\n"))
      #expect(commands[2] == "+ rm -f \(file)")
      #expect(output.contains("\(data)/tls/ca.pem: OK\n"))
    }

    @Test(
      "takes back what is in no folder any more, and what half an uninstallation has left; and nobody else's",
      .enabled(if: MountedDisk.isAvailable, "a disk can't be mounted here"))
    func uninstallOthers() throws {
      let folder = try TemporaryFolder()
      let data = folder.path + "/data"
      let script = """
        set -e
        added=/usr/local/share/ca-certificates
        echo mine > $added/understudy-0123456789abcdef.crt
        for number in 1 2; do
          "$0" certificate --data \(data) --new-authority > \(data).said
          "$0" certificate --data \(data) --install > /dev/null
          cp \(data)/tls/ca.pem \(data)$number.pem
          grep -qF "$(sed -n 2p \(data)$number.pem)" /etc/ssl/certs/ca-certificates.crt
        done
        grep -e --uninstall \(data).said
        rm -r \(data) "$(grep -lF "$(sed -n 2p \(data)1.pem)" $added/*.crt)"
        "$0" certificate --data \(data) --uninstall
        for number in 1 2; do
          grep -F "$(sed -n 2p \(data)$number.pem)" /etc/ssl/certs/ca-certificates.crt && exit 4
        done
        ls /etc/ssl/certs | grep understudy | grep -v 0123456789abcdef && exit 5
        test "$(ls $added)" = understudy-0123456789abcdef.crt
        "$0" certificate --data \(data) --uninstall
        """
      let (status, output, errors) = try onAMachine(script, in: folder)
      #expect(status == 0, "\(output) \(errors)")
      #expect(
        output.matches(of: #/no longer to be trusted: Understudy on .+, ([0-9A-F]{2}:){31}/#).count == 1)
      #expect(output.contains("\n0 added, 2 removed; done.\n"))
      #expect(output.hasSuffix("this machine trusts no authority of Understudy's\n"))
      #expect(errors.contains("understudy-0123456789abcdef.crt is no authority of Understudy's"))
    }

    @Test(
      "changes nothing where another file has the authority's place, or there is no update-ca-certificates",
      .enabled(if: MountedDisk.isAvailable, "a disk can't be mounted here"))
    func refusedInstallation() throws {
      let folder = try TemporaryFolder()
      let data = folder.path + "/data"
      _ = try certificate("--data", data, "--new-authority")
      let script = """
        "$0" certificate --data \(data) --install > /dev/null
        file=$(ls /usr/local/share/ca-certificates/*)
        echo other > $file
        "$0" certificate --data \(data) --install && exit 3
        test "$(cat $file)" = other || exit 4
        "$0" certificate --data \(data) --uninstall || exit 5
        test "$(cat $file)" = other || exit 6
        rm $file
        mkdir $file
        "$0" certificate --data \(data) --install && exit 7
        rmdir $file || exit 8
        mount --bind /dev/null "$(PATH=$PATH:/usr/sbin command -v update-ca-certificates)"
        "$0" certificate --data \(data) --install && exit 9
        test -z "$(ls -A /usr/local/share/ca-certificates)"
        """
      let (status, output, errors) = try onAMachine(script, in: folder)
      #expect(status == 0, "\(output) \(errors)")
      #expect(errors.matches(of: #/it is not this authority: move it away/#).count == 2)
      #expect(errors.contains("there is no update-ca-certificates on this machine: nothing has been changed"))
    }
  #endif
}
