import HTTP
import HTTPClient
import Understudy

extension Command {
  static let doctor = Command(
    name: "doctor",
    summary:
      "Looks at all that a server depends on, and says what to do; changes nothing. Status 1 where something isn't well.",
    options: serveOptions(doctorOptions),
    run: { arguments throws(UsageError) in
      let options = try serveOptions(doctorOptions, of: arguments)
      let doctor = Doctor(options)
      let ports = PortCheck(options, isServed: doctor.isServed).findings
      let findings = [.ok("libcurl \(HTTPClient.libraryVersion)")] + doctor.findings(ports: ports)
      for finding in findings {
        print((finding.remedy.map { "!!  \(finding.text): \($0)" } ?? "ok  \(finding.text)").printable)
      }
      return findings.allSatisfy { $0.remedy == nil } ? success : failure
    })

  /// Those of `serve` that say what there is to look at.
  private static let doctorOptions = [
    "data", "host", "port", "https", "name", "tls-cert", "tls-key", "disk-threshold",
  ]
}

/// Who has the ports.
private struct PortCheck {
  private let options: Application.Options
  private let isServed: Bool
  private let client = try? HTTPClient()
  /// What the ids of the requests of the folder's server begin with.
  private let run: String?

  init(_ options: Application.Options, isServed: Bool) {
    self.options = options
    self.isServed = isServed
    run =
      isServed
      ? (try? Application.controlSocket(in: options.dataFolder ?? ".")).flatMap { [client] socket in
        var request = HTTPClient.Request("GET", "http://localhost/")
        request.unixSocket = socket.text
        return Self.run(of: request, client)
      } : nil
  }

  var findings: [Finding] {
    [finding(options.port, option: "--port")] + options.httpsPorts.map { finding($0, option: "--https") }
  }

  private func finding(_ port: UInt16, option: String) -> Finding {
    guard port != 0 else { return .ok("a free port is looked for (\(option) 0)") }
    let other = "choose another port with \(option)"
    // Asked first: a port that needs a right is refused to who hasn't it, whoever has the port.
    if let answered = Self.run(of: request(port, isEncrypted: option == "--https"), client) {
      return answered == run
        ? .ok("port \(port) is the server's that has this data folder")
        : .problem(
          "port \(port) is held by an Understudy of another data folder", "stop that one, or \(other)")
    }
    do throws(ListenError) {
      _ = try ListeningSocket.listen(host: options.host, port: port)
      return .ok("port \(port) is free")
    } catch {
      return switch error {
      case .portInUse where option == "--https" && options.tlsCertificate != nil && isServed:
        // Its certificate is for a name that may lead elsewhere from here.
        .ok("port \(port) is held, and a server has this data folder")
      case .portInUse: .problem("port \(port) is held by another program", "stop that one, or \(other)")
      case .notPermitted:
        .problem(
          "port \(port) needs a right that this user doesn't have",
          "'understudy serve' says which, or \(other)")
      case .unknownHost(let host):
        .problem("\(host) is not an address or name of this machine", "leave --host out")
      case .failed(let reason): .problem("can't listen on port \(port) (\(reason))", other)
      }
    }
  }

  private func request(_ port: UInt16, isEncrypted: Bool) -> HTTPClient.Request {
    let host = options.host.map { IPAddress($0)?.urlHost ?? $0 } ?? (isEncrypted ? "localhost" : "127.0.0.1")
    var request = HTTPClient.Request(
      "GET", "\(isEncrypted ? "https" : "http")://\(host):\(port)/healthz")
    if isEncrypted {
      request.trustedCertificates =
        Application.certificates(in: options.dataFolder ?? ".").authorityCertificate
    }
    return request
  }

  /// What the ids of a server's requests begin with; nil where none of ours answers.
  private static func run(of request: HTTPClient.Request, _ client: HTTPClient?) -> String? {
    var request = request
    request.connectSeconds = 2
    request.seconds = 3
    guard let response = try? client?.send(request, limit: 64 << 10), response.status == 200,
      let id = response["X-Request-Id"], let dash = id.firstIndex(of: "-")
    else { return nil }
    return String(id[..<dash])
  }
}
