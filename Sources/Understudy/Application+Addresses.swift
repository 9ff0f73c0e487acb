import Certificates
import HTTP

extension Application {
  /// The port that it listens on; 0 where it doesn't serve the apps.
  public var port: UInt16 { socket?.address.port ?? 0 }

  /// Whether it listens for this machine alone.
  public var isLocal: Bool { socket?.address.address.isLoopback ?? true }

  /// The ports that it listens on for HTTPS.
  public var httpsPorts: [UInt16] { httpsSockets.map(\.address.port) }

  /// URLs under which this server can be reached, those of other machines first, `localhost` last.
  public var urls: [String] { socket.map { Self.urls(of: $0, options) } ?? [] }

  static func urls(of socket: ListeningSocket, _ options: Options) -> [String] {
    let port = options.publishedPorts.outside(of: socket.address.port)
    return hosts(of: socket, options).map { "http://\($0):\(port)" }
  }

  /// The same over TLS, before them the names that it stands in for: those that its certificate is for.
  public var httpsURLs: [String] { Self.httpsURLs(of: httpsSockets, options, identity) }

  /// - Parameter host: one more by which it has been reached, as a URL has it: the first.
  static func httpsURLs(
    of sockets: [ListeningSocket], _ options: Options, _ identity: ServerIdentity?, host: String? = nil
  ) -> [String] {
    guard let certificate = identity?.current.value.certificate else { return [] }
    var seen: Set<String> = []
    return sockets.flatMap { socket in
      let port = options.publishedPorts.outside(of: socket.address.port)
      let hosts = (host.map { [$0] } ?? []) + options.names.map(\.urlHost) + Self.hosts(of: socket, options)
      return hosts.filter { SubjectName($0).map(certificate.covers) ?? false }.map {
        "https://\($0)\(port == 443 ? "" : ":\(port)")"
      }
    }.filter { seen.insert($0).inserted }
  }

  /// The public addresses by which others can reach this machine and find no certificate for them: an authority vouches
  /// for such a one only where it was told to. Those of IPv6 aren't among them, which change by themselves.
  public var uncertifiedAddresses: [String] {
    guard options.tlsCertificate == nil, let certificate = identity?.current.value.certificate else {
      return []
    }
    let hosts = Set(httpsSockets.flatMap { Self.hosts(of: $0, options) })
    return hosts.sorted().filter { host in
      IPAddress(host)?.isIPv4 == true && SubjectName(host).map(certificate.covers) == false
    }
  }

  /// The names that everybody else finds elsewhere. For those of a certificate of one's own the DNS mostly leads here,
  /// and multicast DNS finds the machine's.
  static func standIns(_ options: Options) -> Set<String> {
    guard options.tlsCertificate == nil else { return [] }
    let hosts = options.names.compactMap(\.hostName)
    return Set(hosts.filter { !$0.hasSuffix(".local") })
  }

  static func hosts(of socket: ListeningSocket, _ options: Options) -> [String] {
    guard options.publishedPorts.isEmpty else { return ["localhost"] }
    let bound = socket.address.address
    guard bound.bytes.allSatisfy({ $0 == 0 }) || bound == IPAddress("0.0.0.0") else { return [bound.urlHost] }
    let listensOnIPv6 = bound != IPAddress("0.0.0.0")
    let outside = machineAddresses().filter {
      !$0.isLoopback && !$0.isLinkLocal && ($0.isIPv4 || listensOnIPv6)
    }
    return (outside.filter(\.isIPv4) + outside.filter { !$0.isIPv4 }).map(\.urlHost) + ["localhost"]
  }
}
