#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// A client that calls `https://cmsc106.net` and checks the certificate that it is shown.
  enum UnmodifiedClient: String, CaseIterable, CustomStringConvertible {
    case urlSession = "URLSession in Swift"
    case curl
    case okHttp = "OkHttp with Gson"
    case node = "fetch in Node"
    case chromium = "Chromium"
    case requests = "requests in Python"

    var description: String { rawValue }

    /// Has it trust the authority of a machine's server, in the way that is its own.
    ///
    /// - Returns: the command that makes the calls of both apps then.
    func trusting(on machine: Machine) async throws -> [String] {
      let authority = machine.folder.authority
      switch self {
      case .urlSession, .curl:
        try await machine.understudy("certificate", "--data", machine.folder.path, "--install")
        return command
      case .okHttp:
        let store = machine.folder.path + "/trust.p12"
        try await ClientProgram(name: "keytool").succeed([
          "-importcert", "-noprompt", "-alias", "understudy", "-file", authority, "-keystore", store,
          "-storepass", "changeit",
        ])
        let options = ["", "Password"].map { "-Djavax.net.ssl.trustStore\($0)" }
        return ["java", "\(options[0])=\(store)", "\(options[1])=changeit"] + command.dropFirst()
      case .node: return ["NODE_EXTRA_CA_CERTS=\(authority)"] + command
      case .chromium: return command + [authority]
      case .requests: return ["REQUESTS_CA_BUNDLE=\(authority)"] + command
      }
    }

    /// Makes the calls of both apps, trusting nobody whom it doesn't trust anyway.
    var command: [String] {
      let address = "https://cmsc106.net"
      func file(_ path: String) -> String { ClientProgram.folder.appending(path: path).path }
      return switch self {
      // That is all: the address is in the program.
      case .urlSession:
        [ServerProcess.program.deletingLastPathComponent().appending(path: "UnmodifiedApps").path]
      case .curl: [file("Shell/apps.sh"), address]
      case .okHttp: ["java"] + JavaTests.arguments + [address]
      case .node: ["node", file("JavaScript/apps.mjs"), address]
      case .chromium: ["node", file("JavaScript/browser.mjs"), address]
      case .requests: ["/usr/bin/python3", file("Python/apps.py"), address]
      }
    }

    /// What it says of a certificate whose authority it doesn't trust.
    var saysUntrusted: String {
      switch self {
      case .urlSession, .curl, .requests: "unable to get local issuer certificate"
      case .okHttp: "unable to find valid certification path to requested target"
      case .node: "code: 'UNABLE_TO_"
      case .chromium: "https://cmsc106.net: net::ERR_CERT_AUTHORITY_INVALID"
      }
    }

    /// What it says of one for a name that the authority may not sign for.
    var saysConstrained: String {
      switch self {
      case .urlSession, .curl, .node, .requests: "permitted subtree violation"
      case .okHttp: "name constraints"
      case .chromium: "https://cmsc106.net: net::ERR_CERT_INVALID"
      }
    }
  }
#endif
