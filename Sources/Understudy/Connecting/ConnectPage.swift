import HTTP

/// The page for a phone that has just joined the Wi-Fi, and for the screen from which it reads the address.
struct ConnectPage {
  /// What starts a server that speaks HTTPS.
  static let httpsCommand = "understudy serve --https 443 --name cmsc106.net"

  /// URLs of this server, the best first.
  let addresses: [String]
  /// The same over TLS; empty where this server speaks plain HTTP.
  let secureAddresses: [String]
  /// The authority that devices are to trust; nil where there is none.
  let anchor: TrustAnchor?
  /// The hosts that lead to this server only on devices that are set up for it.
  var standIns: Set<String> = []

  var html: String {
    WebPage.html(
      title: "Connect to Understudy", style: Self.style,
      body: """
        <h1>Connect</h1>
        <p>This server stands in for cmsc106.net. Each code opens this page on a phone that is in the same
        network. In the app, put the address in the place of <code>https://cmsc106.net</code>.</p>

        \(list(addresses.prefix(1)))
        \(others)

        \(anchor.map(trust) ?? (secureAddresses.isEmpty ? Self.plain : known))
        """)
  }

  /// The addresses after the first: at hand, but not between a phone and what it has to do, unless the
  /// first is of no use to it.
  private var others: String {
    guard let first = addresses.first, addresses.count > 1 else { return "" }
    return """
      <details\(note(on: first) == nil ? "" : " open")><summary>Other addresses</summary>
      \(list(addresses.dropFirst()))
      </details>
      """
  }

  private func list(_ addresses: ArraySlice<String>) -> String {
    "<ul class=\"addresses\">\n\(addresses.map(item).joined(separator: "\n"))\n</ul>"
  }

  private func item(_ address: String) -> String {
    let text = WebPage.escaped(address)
    // A browser on a phone opens what its camera has read.
    let code = QRCode(address + "/connect")?.svg(label: "QR code for \(text)/connect") ?? ""
    let note = note(on: address).map { "<small>\($0)</small>" } ?? ""
    return """
      <li>\(code)<p><a href="\(text)/connect"><code>\(text)</code></a>\(note)</p>
      """
  }

  /// Why a phone that has just joined the network has no use for a URL; nil where it has.
  private func note(on address: String) -> String? {
    if Self.isLoopback(address) {
      return "For this machine and the simulators on it. A phone needs another address."
    }
    guard let host = Self.host(of: address), standIns.contains(host) else { return nil }
    return "For devices that find this name here already. A new phone needs another address."
  }

  /// The host of a URL, without its port; nil where it has none.
  static func host(of url: String) -> String? {
    guard let start = url.range(ofScheme: "://") else { return nil }
    let authority = url[start...].prefix { $0 != "/" }
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return String(authority[...end]) }
    return authority.prefix { $0 != ":" }.lowercased()
  }

  /// Whether a URL leads every device to itself.
  static func isLoopback(_ url: String) -> Bool {
    guard let host = host(of: url) else { return false }
    return ["localhost", "[::1]"].contains(host) || IPAddress(host)?.isLoopback == true
  }

  // MARK: Without an authority

  private static let plain = """
    <h2>Apps as they are</h2>
    <p>This server speaks plain HTTP. For apps that aren’t changed and call <code>https://cmsc106.net</code>,
    start it with HTTPS, and load this page again:</p>
    <pre><code>\(httpsCommand)</code></pre>
    """

  // MARK: With HTTPS

  /// With a certificate of its owner's, which devices trust or don't.
  private var known: String {
    """
    <h2>Apps as they are</h2>
    <p>An app that calls a name reaches this server when the network’s DNS leads that name here.</p>
    \(afterwards)
    """
  }

  /// Links, and no codes: what a camera opens has to work before the device trusts anything.
  private var afterwards: String {
    guard !secureAddresses.isEmpty else { return "" }
    let items = secureAddresses.map {
      "<li><a href=\"\(WebPage.escaped($0))/connect\"><code>\(WebPage.escaped($0))</code></a>"
    }
    return """
      <h2>See whether it works</h2>
      <p>A device that trusts the server opens these without a warning:</p>
      <ul>
      \(items.joined(separator: "\n"))
      </ul>
      <p>A name that isn’t found, or leads elsewhere, is the DNS’s: on an iPhone it is set at Settings › Wi-Fi › (i) ›
      Configure DNS › Manual, on Android Private DNS has to be off. <code>understudy hosts --dnsmasq</code> on
      the server’s machine says what to enter.</p>
      """
  }

  private func trust(_ anchor: TrustAnchor) -> String {
    """
    <h2>Apps as they are</h2>
    <p>An app that calls <code>https://cmsc106.net</code> reaches this server when the device trusts its
    authority, and the network’s DNS leads that name here.</p>
    <p>Before you trust it, compare its SHA-256 fingerprint with what <code>understudy certificate</code> says
    on the server’s machine:</p>
    <pre><code>\(Self.lines(of: anchor.fingerprint))</code></pre>

    <h2>iPhone and iPad</h2>
    <ol>
    <li>In Safari, load <a href="/connect/understudy.mobileconfig">the profile</a> and tap Allow.
    <li>Settings › General › VPN &amp; Device Management › Understudy \(anchor.shortName) › Install.
    <li>Settings › General › About › Certificate Trust Settings › switch on the one whose name begins with
    Understudy.
    </ol>

    <h2>Android</h2>
    <ol>
    <li>Load <a href="/connect/understudy.crt">the certificate</a>.
    <li>Settings › Security › Encryption &amp; credentials › Install a certificate › CA certificate › Install
    anyway › understudy.crt.
    </ol>
    <p>The browser trusts it then. <strong>Apps that target API 24 (Android 7) or later don’t</strong>, unless
    they say so in their <code>network_security_config</code>: a debug build can, an app from the store can’t
    be made to.</p>

    \(afterwards)

    <h2>Anything else</h2>
    <p><a href="/connect/understudy.pem">The certificate as PEM</a>, for curl, Node, Python, Java and the
    systems’ own stores.</p>
    """
  }

  /// A fingerprint, eight bytes a line, as it fits on a phone.
  private static func lines(of fingerprint: String) -> String {
    let bytes = fingerprint.split(separator: ":")
    return stride(from: 0, to: bytes.count, by: 8).map {
      bytes[$0..<min($0 + 8, bytes.count)].joined(separator: ":")
    }.joined(separator: ":\n")
  }

  private static let style = """
      .addresses li { padding: 1rem 0; text-align: center; }
      .addresses svg { width: min(100%, 17rem); height: auto; border-radius: 0.5rem; }
      .addresses p { margin: 0.5rem 0 0; }
      summary { cursor: pointer; padding: 0.5rem 0; }
      ol { margin: 0; padding-left: 1.5rem; }
      ol li { border: 0; }
      pre { margin: 0.5rem 0 0.75rem; padding: 0.75rem; white-space: pre-wrap; overflow-wrap: anywhere;
        border: 1px solid color-mix(in srgb, currentColor 18%, transparent); border-radius: 0.5rem; }

    """
}

extension String {
  /// Where what stands behind a separator begins.
  fileprivate func range(ofScheme separator: String) -> Index? {
    guard let colon = firstIndex(of: ":"), self[colon...].hasPrefix(separator) else { return nil }
    return index(colon, offsetBy: separator.count)
  }
}
