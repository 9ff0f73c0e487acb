#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// A machine of a test's own, as far as programs on it can tell: its network with every port free, its hosts file
  /// and its trust store are in namespaces, which end with the server on it. The real machine's are left alone.
  final class Machine: Sendable {
    /// The server's data folder, in which the machine's own files lie too.
    let folder: AuthorityFolder
    let server: ServerProcess

    private static let isRoot = geteuid() == 0
    /// Who isn't root becomes it in a user namespace.
    private static let unshare = ["/usr/bin/unshare", isRoot ? "-mn" : "-rmn", "sh", "-c"]

    /// Whether this machine lets another one be made; a container mostly doesn't.
    static let isAvailable: Bool = {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: unshare[0])
      process.arguments = Array(unshare.dropFirst()) + ["mount --bind /etc/hosts /etc/hosts"]
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }()

    /// Starts a server on a machine that has nothing but its loopback interface.
    ///
    /// - Parameter arguments: of `understudy serve`.
    init(_ arguments: [String], folder: AuthorityFolder) throws {
      self.folder = folder
      let script = """
        set -e
        PATH=$PATH:/usr/sbin:/sbin
        ip link set lo up
        mkdir "$1"
        printf '127.0.0.1 localhost\\n::1 localhost\\n' > "$1/hosts"
        mount --bind "$1/hosts" /etc/hosts
        cp -r /etc/ssl/certs "$1/certs"
        mount --bind "$1/certs" /etc/ssl/certs
        mount -t tmpfs tmpfs /usr/local/share/ca-certificates
        # What Java trusts is changed by dpkg, which keeps a record of it.
        for state in dpkg ca-certificates-java; do
          test -d "/var/lib/$state" || continue
          # Locks, which only root can read, are made anew.
          cp -r "/var/lib/$state" "$1/$state" 2> /dev/null || true
          mount --bind "$1/$state" "/var/lib/$state"
        done
        rm -f /var/lib/ca-certificates-java/pending
        shift
        exec "$@"
        """
      server = try ServerProcess(
        ["--data", folder.path] + arguments,
        launcher: Self.unshare + [script, "sh", folder.path + "/machine"])
    }

    /// Runs a program on it, which knows of no proxy and trusts what the machine does.
    ///
    /// - Parameter command: a program and its arguments, behind variables of its environment.
    func run(_ command: [String]) async throws -> ClientProgram.Result {
      let enter =
        ["--target", "\(server.processIdentifier)", "--mount", "--net"]
        + (Self.isRoot ? [] : ["--user", "--preserve-credentials"])
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      let trust = [
        "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
        "JAVA_TOOL_OPTIONS",
      ]
      let environment =
        trust.flatMap { ["-u", $0] } + ["no_proxy=*", "NO_PROXY=*", "PATH=\(path):/usr/sbin:/sbin"]
      return try await ClientProgram(name: "/usr/bin/nsenter").run(enter + ["env"] + environment + command)
    }

    /// Runs `understudy` on it, which is to succeed.
    func understudy(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws {
      let result = try await run([ServerProcess.program.path] + arguments)
      #expect(result.status == 0, "\(result.output) \(result.errors)", sourceLocation: sourceLocation)
    }
  }

  /// Gives a test a machine on which a server stands in for `cmsc106.net` on port 443, and ends that after it.
  ///
  /// - Parameters:
  ///   - arguments: of `understudy serve`.
  ///   - folder: its data folder.
  /// - Returns: the server's log.
  @discardableResult func withStandIn(
    _ arguments: [String] = [], folder: AuthorityFolder? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (Machine) async throws -> Void
  ) async throws -> String {
    let machine = try Machine(
      ["--https", "443", "--name", "cmsc106.net"] + arguments, folder: folder ?? AuthorityFolder())
    let result: Result<Void, any Error>
    do {
      try await machine.understudy("hosts", "--apply")
      result = .success(try await body(machine))
    } catch {
      result = .failure(error)
    }
    machine.server.signal(SIGTERM)
    #expect(machine.server.wait() == 0, "\(machine.server.log)", sourceLocation: sourceLocation)
    try result.get()
    return machine.server.log
  }
#endif
