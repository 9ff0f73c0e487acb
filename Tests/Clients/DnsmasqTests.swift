import Foundation
import TestSupport
import Testing

/// The configuration of `understudy hosts --dnsmasq`, in the hands of the program that it is for.
@Suite(
  "dnsmasq", .enabled(if: ClientProgram.isWanted(DNSServer.path, "dig"), "dnsmasq or dig was not found"))
struct DnsmasqTests {
  /// What the names' real servers say, in these tests.
  private static let upstream = """
    no-resolv
    no-hosts
    address=/forwarded.example/198.51.100.7
    address=/cmsc106.net/203.0.113.1
    address=/cmsc106.net/2001:db8::bad
    txt-record=cmsc106.net,real
    """

  private func configuration(_ arguments: [String]) throws -> String {
    let (status, output, errors) = try ServerProcess.run(["hosts", "--dnsmasq"] + arguments)
    #expect(status == 0, "\(errors)")
    return output
  }

  /// Asks a server, over UDP.
  ///
  /// - Returns: the status and the sorted data of the answer.
  private func dig(_ name: String, _ type: String, at server: DNSServer) async throws -> [String] {
    let output = try await ClientProgram(name: "dig").succeed([
      "-r", "+time=5", "+tries=3", "+noall", "+comments", "+answer", "@127.0.0.1", "-p", "\(server.port)",
      name, type,
    ])
    let status = output.firstMatch(of: #/status: ([A-Z]+)/#).map { String($0.1) } ?? "none"
    let data = output.split(separator: "\n").filter { !$0.hasPrefix(";") }
      .compactMap { $0.split(separator: "\t").last.map(String.init) }
    return [status] + data.sorted()
  }

  @Test("answers the names with the addresses, whatever is asked of them, and forwards the rest")
  func answers() async throws {
    let upstream = try DNSServer(Self.upstream)
    let text = try configuration([
      "--name", "cmsc106.net", "--name", "Other.example", "--address", "127.0.0.1,192.0.2.20", "--address",
      "2001:db8::20",
    ])
    let server = try DNSServer(text, ["--no-resolv", "--server=127.0.0.1#\(upstream.port)"])
    for name in ["cmsc106.net", "CMSC106.NET", "other.example"] {
      #expect(try await dig(name, "A", at: server) == ["NOERROR", "127.0.0.1", "192.0.2.20"])
      #expect(try await dig(name, "AAAA", at: server) == ["NOERROR", "2001:db8::20"])
      // An iPhone asks for this too, and an answer from the real servers would lead it to them.
      #expect(try await dig(name, "HTTPS", at: server) == ["NOERROR"])
      #expect(try await dig(name, "TXT", at: server) == ["NOERROR"])
    }
    #expect(try await dig("forwarded.example", "A", at: server) == ["NOERROR", "198.51.100.7"])
    #expect(try await dig("cmsc106.net", "TXT", at: upstream) == ["NOERROR", "\"real\""])
    // A name below one isn't that name.
    #expect(try await dig("www.cmsc106.net", "A", at: server) == ["NOERROR", "203.0.113.1"])
    #expect(try await dig("notcmsc106.net", "A", at: server) == dig("notcmsc106.net", "A", at: upstream))
  }

  @Test("without an IPv6 address doesn't let the real one through")
  func ipv4Only() async throws {
    let upstream = try DNSServer(Self.upstream)
    let text = try configuration(["--address", "127.0.0.1"])
    let server = try DNSServer(text, ["--no-resolv", "--server=127.0.0.1#\(upstream.port)"])
    #expect(try await dig("cmsc106.net", "A", at: server) == ["NOERROR", "127.0.0.1"])
    #expect(try await dig("cmsc106.net", "AAAA", at: server) == ["NOERROR"])
  }

  #if os(Linux)
    @Test(
      "on port 53 of this machine's own addresses, beside another resolver, with lines in the hosts file",
      .enabled(if: MountedDisk.isAvailable, "neither root nor user namespaces"))
    func machine() async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "dnsmasq-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try Data(Self.upstream.utf8).write(to: folder.appending(path: "upstream"))
      // In a network, mount and process namespace of the test's own, where all of it ends with the script.
      let script = """
        set -e
        PATH=$PATH:/usr/sbin:/sbin
        cd "$1"
        ip link set lo up
        ip address add 192.0.2.77/32 dev lo
        ip address add fd00::77/128 dev lo
        # The machine's own resolver has port 53 of the loopback address.
        dnsmasq --user=root --conf-file=upstream --bind-interfaces --listen-address=127.0.0.1 --pid-file="$PWD/1"
        echo 'nameserver 127.0.0.1' > resolv.conf
        mount --bind resolv.conf /etc/resolv.conf
        echo '127.0.0.1 localhost' > hosts
        mount --bind hosts /etc/hosts
        "$2" hosts --apply > /dev/null
        "$2" hosts --dnsmasq > ours
        dnsmasq --user=root --conf-file=ours --pid-file="$PWD/2"
        for server in 192.0.2.77 fd00::77; do
          dig +short +time=5 @$server cmsc106.net A
          dig +short +time=5 @$server cmsc106.net AAAA
          dig +short +time=5 @$server forwarded.example A
        done
        getent -s files ahostsv4 cmsc106.net
        """
      let result = try await ClientProgram(name: "unshare").run([
        geteuid() == 0 ? "-mnp" : "-rmnp", "--fork", "--kill-child", "--mount-proc", "sh", "-c", script, "sh",
        folder.path,
        ServerProcess.program.path,
      ])
      #expect(result.status == 0, "\(result.errors)")
      let answers = result.output.split(separator: "\n").map(String.init)
      let expected = ["192.0.2.77", "fd00::77", "198.51.100.7"]
      #expect(Array(answers.prefix(6)) == expected + expected, "\(result.errors)")
      #expect(answers.dropFirst(6).first?.hasPrefix("127.0.0.1 ") == true)
    }
  #endif
}

/// dnsmasq on a free port of the loopback interface, which goes with the object.
private final class DNSServer: Sendable {
  struct Failure: Error {
    let log: String
  }

  /// Where packages put it, which isn't where everybody's search path leads.
  static let path =
    ["/usr/sbin/dnsmasq", "/opt/homebrew/sbin/dnsmasq", "/usr/local/sbin/dnsmasq"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    } ?? "dnsmasq"

  let port: UInt16
  private let folder: URL
  /// A shell, which ends it when it reads a line, or no more. dnsmasq closes every descriptor that it
  /// inherits, and Foundation, which takes one of them for its life, would wait for it then and for no other.
  private let keeper: Running

  /// Safe to share: started before, and then only ended.
  private struct Running: @unchecked Sendable {
    let process = Process()
    let input = Pipe()
  }

  /// Starts it and waits until it answers.
  init(_ configuration: String, _ arguments: [String] = []) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "dnsmasq-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "configuration")
    try Data(configuration.utf8).write(to: file)
    // A TCP port that is free; it listens there too, and on the UDP port of the same number.
    port = try LoopbackSocket.freePort()
    keeper = Running()
    let log = Pipe()
    keeper.process.executableURL = URL(fileURLWithPath: "/bin/sh")
    keeper.process.arguments =
      [
        "-c", #""$@" & exec 2>&-; read end; kill -KILL $!"#, "sh", Self.path,
        "--keep-in-foreground", "--conf-file=\(file.path)", "--port=\(port)", "--bind-interfaces",
        "--listen-address=127.0.0.1", "--pid-file=\(folder.path)/pid", "--log-facility=-",
      ] + (geteuid() == 0 ? ["--user=root"] : []) + arguments
    keeper.process.standardInput = keeper.input
    keeper.process.standardError = log
    try keeper.process.run()
    var text = ""
    while !text.contains("started, version") {
      let piece = log.fileHandleForReading.availableData
      guard !piece.isEmpty else { throw Failure(log: text) }
      text += String(decoding: piece, as: UTF8.self)
    }
  }

  deinit {
    try? keeper.input.fileHandleForWriting.write(contentsOf: Data("end\n".utf8))
    try? keeper.input.fileHandleForWriting.close()
    keeper.process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }
}
