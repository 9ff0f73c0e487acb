import Certificates
import Foundation
import TestSupport
import Testing

@testable import Understudy
@testable import UnderstudyTesting

@Suite("/connect")
struct ConnectTests {
  private static let files = ["understudy.mobileconfig", "understudy.pem", "understudy.crt"]

  /// A self-signed certificate, made for these tests with OpenSSL.
  private static let pem = """
    -----BEGIN CERTIFICATE-----
    MIIBpTCCAUugAwIBAgIUEUw7k0UIX0st7kWu8/bDVGwL85gwCgYIKoZIzj0EAwIw
    KDEmMCQGA1UEAwwdVW5kZXJzdHVkeSBvbiBtYWMsIDIwMjYtMTEtMzAwHhcNMjYx
    MTMwMTIxNTIyWhcNMzYxMTI3MTIxNTIyWjAoMSYwJAYDVQQDDB1VbmRlcnN0dWR5
    IG9uIG1hYywgMjAyNi0xMS0zMDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABA/u
    KN1z8qeb/XeOQz/tLCISSMAhywhIKt5D1F36S8GgxCbLJEbIUdaWLnErsCNKW0I+
    2l+9RTLIY7D4qG0MbBCjUzBRMB0GA1UdDgQWBBSX+J51i/qymG3eK1bOYsGzGL0C
    pjAfBgNVHSMEGDAWgBSX+J51i/qymG3eK1bOYsGzGL0CpjAPBgNVHRMBAf8EBTAD
    AQH/MAoGCCqGSM49BAMCA0gAMEUCIEmBKZ4sKXejvouWZwexSbWFvunakPuLYkNe
    MlBnDX/YAiEAupzf+xl5f4jJzVcCkVJQ/nsSsHBB0KHitcEUhb1QMfs=
    -----END CERTIFICATE-----

    """
  /// As `openssl x509 -fingerprint -sha256` says it.
  private static let fingerprint =
    "BE:27:C5:F5:01:53:6B:61:41:88:02:B3:71:E0:85:26:"
    + "4F:C3:5E:03:F9:3B:10:DD:97:34:3F:57:A5:75:52:F6"

  private func get(_ target: String, host: String = "a", from server: TestServer) throws -> RawResponse {
    let client = try RawClient(port: server.port)
    try client.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    return try client.response()
  }

  private func write(_ text: String, into folder: TemporaryFolder) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("tls"), withIntermediateDirectories: true)
    try folder.write(text, to: "tls/ca.pem")
  }

  /// The addresses of a page, in its order.
  private func addresses(_ page: String) -> [String] {
    page.matches(of: #/<a href="(http[^"]*)/connect">/#).map { String($0.1) }
  }

  @Test("begins with the address by which the request came, then the machine's own, each with a code")
  func addresses() throws {
    let server = try TestServer { $0.host = nil }
    defer { server.stop() }
    let page = try get("/connect", host: "classroom.example:9000", from: server)
    #expect(page.status == 200)
    #expect(page["Content-Type"] == "text/html; charset=utf-8")
    let own = server.application.urls.filter { !$0.contains("localhost") }
    #expect(addresses(page.text) == ["http://classroom.example:9000"] + own)
    #expect(page.text.matches(of: #/<svg role="img"/#).count == 1 + own.count)
    // On a screen that shows `localhost`, what a phone can use isn't folded away.
    let local = try get("/connect", host: "localhost:9000", from: server)
    #expect(addresses(local.text) == ["http://localhost:9000"] + own)
    #expect(local.text.contains("A phone needs another address"))
    #expect(local.text.contains("<details open>") == !own.isEmpty)
    #expect(page.text.contains("<details>") == !own.isEmpty)
    #expect(!page.text.contains("A phone needs another address"))
  }

  @Test(
    "opened under the name that it stands in for says that a new phone needs another address, and shows that")
  func standIn() throws {
    let (folder, note) = (
      try TemporaryFolder(), "For devices that find this name here already. A new phone needs"
    )
    func server(_ own: CertificateFolder? = nil) throws -> TestServer {
      try TestServer { options in
        (options.host, options.httpsPorts) = (nil, [0])
        if own == nil { options.dataFolder = folder.path }
        options.names = [.host("cmsc106.net"), .host("mac.local")]
        (options.tlsCertificate, options.tlsKey) = (own?.server, own?.server)
      }
    }
    let running = try server()
    let hasOthers = running.application.urls.contains { !$0.contains("localhost") }
    for host in ["cmsc106.net", "CMSC106.net:80"] {
      let page = try get("/connect", host: host, from: running).text
      #expect(page.contains(note))
      #expect(page.contains("<details open>") == hasOthers)
    }
    for host in ["mac.local", "10.0.0.9"] {
      let page = try get("/connect", host: host, from: running).text
      #expect(!page.contains(note) && !page.contains("<details open>"))
    }
    running.stop()
    // For a certificate of its owner's, devices find the name here.
    let own = CertificateFolder(folder.path("own"))
    let names: [SubjectName] = [.host("cmsc106.net"), .host("mac.local")]
    _ = try own.identity(from: own.makeAuthority(host: "here", names: names), for: names)
    let known = try server(own)
    defer { known.stop() }
    #expect(try !get("/connect", host: "cmsc106.net", from: known).text.contains(note))
  }

  @Test("names the public URL once")
  func publicURL() throws {
    let server = try TestServer { $0.publicURL = "https://cmsc106.net" }
    defer { server.stop() }
    let page = try get("/connect", host: "10.0.0.9", from: server).text
    #expect(page.contains(#"<a href="https://cmsc106.net/connect">"#))
    #expect(addresses(page) == ["http://10.0.0.9", "https://cmsc106.net"])
  }

  /// The encrypted ones, which have no code.
  private func secureAddresses(_ page: String) -> [String] {
    page.matches(of: #/<li><a href="(https:[^"]*)/connect">/#).map { String($0.1) }
  }

  @Test(
    "lists the addresses over TLS that a device will take: by its own Host first, then the stood-in names")
  func secure() throws {
    let folder = try TemporaryFolder()
    let server = try TestServer { options in
      options.host = nil
      options.dataFolder = folder.path
      options.httpsPorts = [0]
      options.names = [.host("cmsc106.net")]
    }
    defer { server.stop() }
    let port = try #require(server.httpsPorts.first)
    let own = server.application.httpsURLs.filter { !$0.contains("localhost") }
    #expect(own.first == "https://cmsc106.net:\(port)")
    let name = try get("/connect", host: "cmsc106.net:9000", from: server).text
    #expect(secureAddresses(name) == own)
    let local = try get("/connect", host: "localhost:9000", from: server).text
    #expect(secureAddresses(local) == ["https://localhost:\(port)"] + own)
    let machine = try get("/connect", host: "[::1]", from: server).text
    #expect(secureAddresses(machine) == ["https://[::1]:\(port)"] + own)
    // The certificate isn't for it: no device would take it.
    let other = try get("/connect", host: "classroom.example", from: server).text
    #expect(secureAddresses(other) == own)
    #expect(!other.contains("understudy serve --https"))
    #expect(!other.contains("QR code for https"))
  }

  @Test("shows the ports that a container's are published under, and none of its addresses")
  func published() throws {
    func start(_ port: UInt16, _ httpsPort: UInt16, published: [String]) throws -> TestServer {
      try TestServer { options in
        options.host = nil
        (options.port, options.httpsPorts) = (port, [httpsPort])
        options.names = [.host("cmsc106.net"), .address([192, 168, 7, 20])]
        options.publishedPorts = published.compactMap { PublishedPort($0) }
      }
    }
    // Ports that were free a moment ago.
    let free = try start(0, 0, published: [])
    let (port, httpsPort) = (free.port, try #require(free.httpsPorts.first))
    free.stop()
    let server = try start(port, httpsPort, published: ["443:\(httpsPort)", "80:\(port)"])
    defer { server.stop() }
    #expect(server.application.urls == ["http://localhost:80"])
    let names = ["https://cmsc106.net", "https://192.168.7.20"]
    #expect(server.application.httpsURLs == names + ["https://localhost"])
    let page = try get("/connect", host: "192.168.7.20:80", from: server).text
    #expect(addresses(page).filter { $0.hasPrefix("http:") } == ["http://192.168.7.20:80"])
    #expect(secureAddresses(page) == names.reversed())
  }

  @Test("reads two ports, the one that others use first")
  func ports() {
    let port = PublishedPort("443:8443")
    #expect(port?.outside == 443 && port?.inside == 8443)
    for text in ["443", "443:", ":8443", "0:8443", "443:0", "1:2:3", "443:65536", "http:8080", " 1:2"] {
      #expect(PublishedPort(text) == nil, "\(text)")
    }
  }

  @Test(
    "with a certificate of its owner's has HTTPS and no authority to trust, whatever is in the data folder")
  func ownCertificate() throws {
    let (folder, own) = (try TemporaryFolder(), try TemporaryFolder())
    try write(Self.pem, into: folder)
    let certificates = CertificateFolder(own.path)
    let authority = try certificates.makeAuthority(host: "here", names: [.host("own.example")])
    _ = try certificates.identity(from: authority, for: [.host("own.example")])
    let server = try TestServer { options in
      options.dataFolder = folder.path
      options.httpsPorts = [0]
      options.names = [.host("own.example")]
      (options.tlsCertificate, options.tlsKey) = (certificates.server, certificates.server)
    }
    defer { server.stop() }
    let port = try #require(server.httpsPorts.first)
    let page = try get("/connect", from: server).text
    #expect(secureAddresses(page) == ["https://own.example:\(port)"])
    #expect(!page.contains("speaks plain HTTP"))
    for file in Self.files {
      #expect(!page.contains(file))
      #expect(try get("/connect/\(file)", from: server).status == 404)
    }
  }

  @Test("loads nothing from elsewhere and runs nothing")
  func selfContained() throws {
    let folder = try TemporaryFolder()
    try write(Self.pem, into: folder)
    let server = try TestServer { $0.dataFolder = folder.path }
    defer { server.stop() }
    let page = try get("/connect", from: server).text
    #expect(page.contains(#"<meta name="viewport" content="width=device-width, initial-scale=1">"#))
    for word in ["<script", " src=", "@import", "url(", "<iframe", "<link rel=\"stylesheet"] {
      #expect(!page.contains(word), "\(word)")
    }
  }

  @Test("a Host is never markup", arguments: ["<script>", "a\"onload=x", "a'b", "a&b"])
  func escaping(host: String) throws {
    let server = try TestServer()
    defer { server.stop() }
    // Such a Host is refused; and nothing depends on that.
    #expect(try get("/connect", host: host, from: server).status == 400)
    let page = ConnectPage(
      addresses: ["http://\(host)"], secureAddresses: ["https://\(host)"], anchor: nil
    ).html
    #expect(!page.contains("://\(host)"))
  }

  @Test("without an authority says what to type, and has no files")
  func plain() throws {
    let server = try TestServer()
    defer { server.stop() }
    let page = try get("/connect", from: server).text
    #expect(page.contains("understudy serve --https 443 --name cmsc106.net"))
    for file in Self.files {
      #expect(!page.contains(file))
      let answer = try get("/connect/\(file)", from: server)
      #expect(answer.status == 404)
      #expect(answer.text.contains("understudy serve --https 443"), "\(answer.text)")
    }
    #expect(try get("/connect/other.crt", from: server).status == 404)
  }

  @Test("gives the authority in three forms, and its fingerprint, as soon as it is there")
  func authority() throws {
    let folder = try TemporaryFolder()
    let server = try TestServer { $0.dataFolder = folder.path }
    defer { server.stop() }
    #expect(try get("/connect/understudy.crt", from: server).status == 404)
    // What else is in the file, a key above all, is nobody's business.
    let key = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"
    try write("Bag Attributes\r\n" + key + Self.pem.replacing("\n", with: "\r\n") + key, into: folder)
    let page = try get("/connect", from: server).text
    #expect(page.replacing(":\n", with: ":").contains(Self.fingerprint))
    for file in Self.files { #expect(page.contains(#"<a href="/connect/\#(file)">"#)) }
    #expect(!page.contains("understudy serve --https"))
    for words in ["Certificate Trust Settings", "Install a certificate › CA certificate", "API 24"] {
      #expect(page.contains(words), "\(words)")
    }

    let pem = try get("/connect/understudy.pem", from: server)
    #expect(pem["Content-Type"] == "application/x-pem-file")
    #expect(pem.text == Self.pem)
    let der = try get("/connect/understudy.crt", from: server)
    #expect(der["Content-Type"] == "application/x-x509-ca-cert")
    let base64 = Self.pem.split(separator: "\n").dropFirst().dropLast().joined()
    #expect(Data(der.body) == Data(base64Encoded: base64))

    let answer = try get("/connect/understudy.mobileconfig", from: server)
    #expect(answer["Content-Type"] == "application/x-apple-aspen-config")
    let profile = try #require(try propertyList(answer))
    #expect(profile["PayloadType"] as? String == "Configuration")
    let payloads = try #require(profile["PayloadContent"] as? [[String: Any]])
    #expect(payloads.map { $0["PayloadType"] as? String } == ["com.apple.security.root"])
    #expect(payloads[0]["PayloadContent"] as? Data == Data(der.body))
    let dictionaries = [profile] + payloads
    #expect(dictionaries.allSatisfy { $0["PayloadVersion"] as? Int == 1 })
    #expect(Set(dictionaries.compactMap { $0["PayloadIdentifier"] as? String }).count == 2)
    let identifiers = dictionaries.compactMap { $0["PayloadUUID"] as? String }.compactMap(UUID.init)
    #expect(Set(identifiers).count == 2)
    // The same authority's profile replaces itself on the device.
    #expect(try get("/connect/understudy.mobileconfig", from: server).body == answer.body)
    let other = try #require(TrustAnchor(pem: Array(Self.otherPEM.utf8)))
    let others = try #require(
      try PropertyListSerialization.propertyList(
        from: Data(ConfigurationProfile.text(for: other).utf8), format: nil) as? [String: Any])
    #expect(others["PayloadUUID"] as? String != profile["PayloadUUID"] as? String)

    try FileManager.default.removeItem(atPath: folder.path("tls/ca.pem"))
    #expect(try get("/connect/understudy.pem", from: server).status == 404)
  }

  @Test("a file that isn't a certificate is none")
  func damaged() throws {
    let lines = Self.pem.split(separator: "\n", omittingEmptySubsequences: false)
    let cut = lines.enumerated().filter { $0.offset != 2 }.map(\.element).joined(separator: "\n")
    let broken = [
      "", "hello", cut, Self.pem.replacing("\nMII", with: "\n!II"),
      Self.pem.replacing("-----END CERTIFICATE-----", with: ""),
      "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
    ]
    for text in broken { #expect(TrustAnchor(pem: Array(text.utf8)) == nil, "\(text)") }
    #expect(TrustAnchor(pem: [0xFF, 0xFE, 0x00]) == nil)
    #expect(TrustAnchor(pem: Array(Self.pem.utf8)) != nil)
  }

  @Test("the home page leads to it")
  func home() throws {
    let server = try TestServer()
    defer { server.stop() }
    #expect(try get("/", from: server).text.contains(#"<a href="/connect">"#))
  }

  private func propertyList(_ answer: RawResponse) throws -> [String: Any]? {
    try PropertyListSerialization.propertyList(from: Data(answer.body), format: nil) as? [String: Any]
  }

  private static let otherPEM = """
    -----BEGIN CERTIFICATE-----
    MIIBpzCCAU2gAwIBAgIUeCK2bdWiRbbwLlS8Z3gqNN1RP8UwCgYIKoZIzj0EAwIw
    KTEnMCUGA1UEAwweVW5kZXJzdHVkeSBvbiBib29rLCAyMDI2LTExLTMwMB4XDTI2
    MTEzMDEyMTUyMloXDTM2MTEyNzEyMTUyMlowKTEnMCUGA1UEAwweVW5kZXJzdHVk
    eSBvbiBib29rLCAyMDI2LTExLTMwMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
    EP/Ng1MRicCCrZSAGqjBJM6auQouV9vgi04+dsYA47qS3aHC+PIx9hEsuQrCUWNq
    HvUPydr9rbNvgDPOuBi5YaNTMFEwHQYDVR0OBBYEFOMaCG8SBYEj5rwxLDfnrzvW
    SfgsMB8GA1UdIwQYMBaAFOMaCG8SBYEj5rwxLDfnrzvWSfgsMA8GA1UdEwEB/wQF
    MAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAK5O3RK2HHkPmBe92+srPdbqBuM1VP5d
    A+wB8meIW13XAiBx4Di+ggrwP3IOY8Bfwbt+WS10XqlpgGNloxRwItV6vQ==
    -----END CERTIFICATE-----

    """
}
