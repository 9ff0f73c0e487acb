import CMicroHTTPD
import JSON
import Threads

/// A request, while it is being answered: a view of what came in, on the thread that got it.
///
/// What a handler needs later, on another thread, it copies out: the thread's next request has the same object.
public final class Request {
  // Its variables are unchecked for exclusive access: one thread has them, and nothing calls out while
  // it changes one. The checks were a tenth of what this module adds to libmicrohttpd's work.

  /// What tells this request from all others of this server: in the log, in `X-Request-Id` and in
  /// the `instance` of a problem.
  @exclusivity(unchecked) public private(set) var id: RequestID
  /// What was asked for.
  @exclusivity(unchecked) public private(set) var target: RequestTarget
  /// What was to be done with it.
  @exclusivity(unchecked) public internal(set) var method = Method.get
  /// The body, whole; empty where there is none.
  @exclusivity(unchecked) public internal(set) var body: [UInt8] = []
  /// The route that answers; nil where none does.
  public var route: Route? { routed?.takeUnretainedValue() }
  /// That route, which the routing table keeps, unretained: all threads would count in the same place.
  @exclusivity(unchecked) var routed: Unmanaged<Route>?
  /// When the request line had come in, in nanoseconds of `MonotonicClock`.
  @exclusivity(unchecked) public private(set) var start: UInt64 = 0

  @exclusivity(unchecked) var fields = HeaderFields()
  @exclusivity(unchecked) var isHTTP11 = true
  /// Unretained: libmicrohttpd tells of a request's end before it closes its connection. From `end` to the next `begin`
  /// there is none, and nobody may ask for it.
  @exclusivity(unchecked) private(set) var client: Unmanaged<ClientConnection>
  var connection: ClientConnection { client._withUnsafeGuaranteedRef { $0 } }
  let trustedProxies: [AddressRange]

  /// None yet, or one that is made up.
  init(
    id: RequestID = RequestID(number: 0), target: consuming RequestTarget = RequestTarget([]),
    connection: ClientConnection, trustedProxies: [AddressRange]
  ) {
    self.id = id
    self.target = target
    client = .passUnretained(connection)
    self.trustedProxies = trustedProxies
  }

  /// The request line is there.
  func begin(
    _ id: RequestID, target bytes: UnsafeRawBufferPointer, on connection: ClientConnection, at start: UInt64
  ) {
    self.id = id
    client = .passUnretained(connection)
    target.replace(with: bytes)
    self.start = start
  }

  /// It is answered, or never will be: forgets what came in.
  func end() {
    method = .get
    target.forget()
    body = []
    fields = HeaderFields()
    routed = nil
  }

  /// Looks at the route without counting a reference.
  @inline(__always)
  func withRoute<Result>(_ body: (Route?) throws -> Result) rethrows -> Result {
    guard let routed else { return try body(nil) }
    return try routed._withUnsafeGuaranteedRef { try body($0) }
  }

  /// The decoded text of the path's segment that a parameter of the route stands for; nil where it
  /// isn't UTF-8.
  public func parameter(_ name: String) -> String? {
    var text: String?
    withBytes(ofParameter: name) { text = String(validating: $0, as: UTF8.self) }
    return text
  }

  /// Hands over the decoded bytes of the path's segment that a parameter of the route stands for, where they lie; not
  /// where it has no such parameter. It isn't generic: another module's call would be many.
  public func withBytes(ofParameter name: String, _ body: (UnsafeRawBufferPointer) -> Void) {
    guard let index = withRoute({ $0?.segments.firstIndex(of: .parameter(name)) }) else { return }
    target.withSegments { body($0[index]) }
  }

  /// The row's id that the route's parameter `id` stands for.
  ///
  /// - Parameter missing: what the answer says where it can't be one.
  /// - Throws: `Problem` 404 where it isn't a whole number within 64 bits.
  public func id(orNotFound missing: String) throws(Problem) -> Int64 {
    var id: Int64?
    withBytes(ofParameter: "id") { id = Int64(wholeNumber: $0) }
    guard let id else { throw .notFound(missing) }
    return id
  }

  /// Asks for a browser whether a page of another origin may make a request (the Fetch standard, "CORS-preflight
  /// request").
  var isPreflight: Bool { method == .options && fields.accessControlRequestMethod != nil }

  /// The Accept header names `application/json`.
  public var acceptsJSON: Bool {
    guard let accept = fields.accept else { return false }
    return accept.split(separator: UInt8(ascii: ",")).contains { range in
      let type = range.prefix { $0 != UInt8(ascii: ";") }
      return UnsafeRawBufferPointer(rebasing: type).trimmed.equals("application/json")
    }
  }

  /// The Idempotency-Key header's bytes, without the quotes that may stand around them; nil without
  /// the header.
  public var idempotencyKey: [UInt8]? {
    guard let value = fields.idempotencyKey else { return nil }
    let isQuoted = value.count >= 2 && value.first == UInt8(ascii: "\"") && value.last == UInt8(ascii: "\"")
    return isQuoted ? Array(value.dropFirst().dropLast()) : Array(value)
  }

  /// The token of an Authorization header of the scheme Bearer (RFC 6750, section 2.1); nil where there is none.
  public var bearerToken: [UInt8]? {
    guard let value = fields.authorization, let space = value.firstIndex(of: UInt8(ascii: " ")),
      UnsafeRawBufferPointer(rebasing: value[..<space]).equals("bearer")
    else { return nil }
    return Array(UnsafeRawBufferPointer(rebasing: value[space...]).trimmed)
  }

  // MARK: Where it came from and what it was sent to

  private var comesFromTrustedProxy: Bool {
    guard !trustedProxies.isEmpty, let address = connection.address else { return false }
    return trustedProxies.contains { $0.contains(address) }
  }

  /// The client's address: the peer's, or behind trusted proxies the one that they name. The list is
  /// read from its end, where the nearest proxy has written; what stands before the first address
  /// that isn't a trusted proxy's, or that can't be read, the client may have written itself.
  public var clientAddress: IPAddress? {
    guard comesFromTrustedProxy, let list = fields.forwardedFor?.text else { return connection.address }
    var nearest = connection.address
    for entry in list.split(separator: ",", omittingEmptySubsequences: false).reversed() {
      guard let address = Self.forwardedAddress(entry) else { return nearest }
      nearest = address
      guard trustedProxies.contains(where: { $0.contains(address) }) else { return address }
    }
    return nearest
  }

  /// The address of an entry, which some proxies write with a port, and IPv6 in brackets.
  private static func forwardedAddress(_ entry: Substring) -> IPAddress? {
    let text = String(
      entry.trimmingPrefix { $0 == " " || $0 == "\t" }.reversed().trimmingPrefix { $0 == " " || $0 == "\t" }
        .reversed())
    if let address = IPAddress(text) { return address }
    guard Authority.isValid(Array(text.utf8)[...]), let colon = text.lastIndex(of: ":") else {
      return text.hasPrefix("[") && text.hasSuffix("]") ? IPAddress(String(text.dropFirst().dropLast())) : nil
    }
    return IPAddress(text[..<colon].filter { $0 != "[" && $0 != "]" })
  }

  /// The client's address as text, `-` where it has none.
  var clientName: String {
    guard trustedProxies.isEmpty else { return clientAddress?.description ?? "-" }
    return client._withUnsafeGuaranteedRef { $0.addressText }
  }

  /// The scheme and authority that this request was sent to, `http://192.168.1.20:8080`: what an
  /// absolute URL must begin with for this client to follow it.
  public var origin: String {
    let isProxied = comesFromTrustedProxy
    var scheme = connection.isEncrypted ? "https" : "http"
    if isProxied, let proto = fields.forwardedProto {
      if proto.equals("https") { scheme = "https" } else if proto.equals("http") { scheme = "http" }
    }
    if isProxied, let host = fields.forwardedHost, Authority.isValid(host) {
      return "\(scheme)://\(host.text)"
    }
    if case .absolute(let authority) = target.form {
      return "\(scheme)://\(String(decoding: target.raw[authority], as: UTF8.self))"
    }
    return connection.origin(host: fields.host, scheme: scheme)
  }
}
