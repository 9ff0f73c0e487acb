import HTTP
import JSON

/// `/connect`: how a device that has just joined the network gets to use this server, and the authority
/// that it is to trust.
struct Connect: Sendable {
  /// Where the server is reached by `--public-url`; nil without it.
  let publicURL: String?
  /// The URLs under which the server is reached now.
  let urls: @Sendable () -> [String]
  /// The same over TLS, as far as the server's certificate goes: first the parameter, the host by which a device has
  /// reached the server, then the names that the server stands in for.
  let secureURLs: @Sendable (String?) -> [String]
  /// The PEM of the authority under which the server's certificate is; nil while there is none.
  let authorityPEM: @Sendable () -> [UInt8]?
  /// The hosts that belong to another server, and lead to this one only on devices that are set up for it.
  let standIns: Set<String>

  func addRoutes(to router: inout Router) {
    router.get("/connect") { [self] request in
      let page = ConnectPage(
        addresses: addresses(for: request), secureAddresses: secureAddresses(for: request), anchor: anchor,
        standIns: standIns)
      return .now(Self.response(WebPage.type, page.html))
    }
    add("understudy.mobileconfig", ConfigurationProfile.type, to: &router) {
      .init(ConfigurationProfile.text(for: $0))
    }
    add("understudy.pem", "application/x-pem-file", to: &router) { .init($0.pem) }
    // Android installs what comes with this type.
    add("understudy.crt", "application/x-x509-ca-cert", to: &router) { anchor in
      let body = ByteBuffer(capacity: anchor.der.count)
      anchor.der.withUnsafeBytes { body.append($0) }
      return body
    }
  }

  /// Adds a form of the authority's certificate.
  private func add(
    _ name: String, _ type: String, to router: inout Router,
    _ body: @escaping @Sendable (TrustAnchor) -> ByteBuffer
  ) {
    router.get("/connect/\(name)") { [self] _ in
      guard let anchor else {
        throw Problem.notFound(
          "This server has no certificate authority. Started with '\(ConnectPage.httpsCommand)' it makes one."
        )
      }
      return .now(Response(type: type, body: .buffer(body(anchor)), caching: .validated(nil)))
    }
  }

  private var anchor: TrustAnchor? { authorityPEM().flatMap { TrustAnchor(pem: $0) } }

  /// Where a device reaches this server: first the address by which this one has, since what a container
  /// takes for its own addresses nobody else reaches; not `localhost`, which is each device itself.
  private func addresses(for request: Request) -> [String] {
    var addresses = [request.origin]
    for url in [publicURL].compactMap({ $0 }) + urls().filter({ !ConnectPage.isLoopback($0) })
    where !addresses.contains(url) {
      addresses.append(url)
    }
    return addresses
  }

  /// Where a device reaches this server over TLS.
  private func secureAddresses(for request: Request) -> [String] {
    let host = ConnectPage.host(of: request.origin)
    return secureURLs(host).filter { !ConnectPage.isLoopback($0) || ConnectPage.host(of: $0) == host }
  }

  private static func response(_ type: String, _ text: String) -> Response {
    Response(type: type, body: .buffer(ByteBuffer(text)), caching: .validated(nil))
  }
}
