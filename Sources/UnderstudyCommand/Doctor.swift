import HTTP
import HTTPClient
import Threads
import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Command {
  static let doctor = Command(
    name: "doctor",
    summary:
      "Looks at all that a server depends on, and says what to do; changes nothing. Status 1 where something isn't well.",
    options: serveOptions(doctorOptions),
    run: { arguments throws(UsageError) in
      let options = try serveOptions(doctorOptions, of: arguments)
      let doctor = Doctor(options)
      let server = doctor.custody == .held ? ServerCheck(options.dataFolder ?? ".") : nil
      let ports = PortCheck(options, custody: doctor.custody, run: server?.run).findings
      let findings =
        [.ok("libcurl \(HTTPClient.libraryVersion)")]
        + doctor.findings(ports: (server?.findings ?? []) + ports)
      for finding in findings {
        print((finding.remedy.map { "!!  \(finding.text): \($0)" } ?? "ok  \(finding.text)").printable)
      }
      return findings.allSatisfy { $0.remedy == nil } ? success : failure
    })

  /// Those of `serve` that say what there is to look at.
  private static let doctorOptions = [
    "data", "host", "port", "https", "published", "name", "tls-cert", "tls-key", "disk-threshold",
  ]
}

/// What the server that has the data folder says at its control socket.
private struct ServerCheck {
  /// What the ids of its requests begin with; nil where it doesn't answer.
  let run: String?
  let findings: [Finding]

  init(_ folder: String) {
    // Who may not ask is told so by what is said of the folder.
    guard access(folder + "/" + Application.controlSocketName, W_OK) == 0 || errno != EACCES else {
      (run, findings) = (nil, [])
      return
    }
    // One that is just beginning has none yet.
    let deadline = MonotonicClock.now + 2_000_000_000
    var answer = Self.ask(folder)
    while answer == nil, MonotonicClock.now < deadline {
      usleep(50_000)
      answer = Self.ask(folder)
    }
    run = answer.flatMap(\.run)
    findings = answer.map(Self.findings) ?? [Self.silence(folder)]
  }

  private static func ask(_ folder: String) -> HTTPClient.Response? {
    guard let socket = try? Application.controlSocket(in: folder) else { return nil }
    var request = HTTPClient.Request("GET", "http://localhost/findings")
    request.unixSocket = socket.text
    request.connectSeconds = 2
    request.seconds = 3
    return try? HTTPClient().send(request, limit: 64 << 10)
  }

  private static func findings(in response: HTTPClient.Response) -> [Finding] {
    response.object.objects("findings").map { object in
      object["remedy"] == nil
        ? .ok(object.text("text")) : .problem(object.text("text"), object.text("remedy"))
    }
  }

  /// Why it doesn't answer.
  private static func silence(_ folder: String) -> Finding {
    if let defect = (try? Application.controlSocketDefect(in: folder)) ?? nil {
      return .problem(line: defect)
    }
    return .problem(
      "whoever has the data folder doesn't answer at its control.sock",
      "wait for its end where it is a command; see what the log says where it is a server")
  }
}

/// Who has the ports.
private struct PortCheck {
  let options: Application.Options
  let custody: Doctor.Custody
  /// What the ids of the requests of the folder's server begin with; nil where that isn't known.
  let run: String?
  private let client = try? HTTPClient()

  init(_ options: Application.Options, custody: Doctor.Custody, run: String?) {
    self.options = options
    self.custody = custody
    self.run = run
  }

  var findings: [Finding] {
    [finding(options.port, option: "--port")] + options.httpsPorts.map { finding($0, option: "--https") }
  }

  private func finding(_ port: UInt16, option: String) -> Finding {
    guard port != 0 else { return .ok("a free port is looked for (\(option) 0)") }
    let other = "choose another port with \(option)"
    // Asked first: a port that needs a right is refused to who hasn't it, whoever has the port.
    if let answered = (try? client?.send(request(port, isEncrypted: option == "--https"), limit: 64 << 10))?
      .run
    {
      switch (custody, run) {
      case (_, answered?): return .ok("port \(port) is the server's that has this data folder")
      case (.hidden, _), (.held, nil):
        return .ok("port \(port) is held by an Understudy, and of which data folder can't be told from here")
      default:
        return .problem(
          "port \(port) is held by an Understudy of another data folder", "stop that one, or \(other)")
      }
    }
    do throws(ListenError) {
      _ = try ListeningSocket.listen(host: options.host, port: port)
      return .ok("port \(port) is free")
    } catch {
      return switch error {
      case .portInUse where option == "--https" && options.tlsCertificate != nil && custody == .held:
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
    request.connectSeconds = 2
    request.seconds = 3
    return request
  }
}

extension HTTPClient.Response {
  /// What the ids of a server's requests begin with; nil where none of ours has answered.
  fileprivate var run: String? {
    guard status == 200, let id = self["X-Request-Id"], let dash = id.firstIndex(of: "-") else { return nil }
    return String(id[..<dash])
  }
}
