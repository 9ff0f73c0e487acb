import Understudy

@testable import HTTP

/// The header fields that the server reads. Each of the input's lines is a field, and the connection
/// comes from a trusted proxy.
func fuzzHeader(_ input: [UInt8]) throws {
  let connection = ClientConnection(
    descriptor: -1, address: proxy)
  // The second request of the connection finds the Host of the first.
  let first = try read(input, on: connection)
  let second = try read(input, on: connection)
  try require(first == second, "the connection's next request is read alike: \(first), \(second)")
}

private let proxy = IPAddress("10.0.0.1")
private let trusted = ["10.0.0.0/8", "2001:db8::/32"].compactMap { AddressRange($0) }

private func read(_ input: [UInt8], on connection: ClientConnection) throws -> [String] {
  try input.withUnsafeBytes { bytes in
    var fields = HeaderFields()
    var names: [String] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      // libmicrohttpd skips the white space before a value.
      let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
      names.append(line[..<colon].shown.lowercased())
      fields.read(
        name: UnsafeRawBufferPointer(rebasing: line[..<colon]), value: UnsafeRawBufferPointer(rebasing: value)
      )
    }
    fields.checkFraming(isHTTP11: true, on: connection)
    guard fields.defect == nil else { return [fields.defect ?? ""] }
    try requireFraming(fields, names)
    return try answers(to: fields, on: connection)
  }
}

/// What two servers could frame differently is refused (RFC 9112, sections 3.2, 5.1 and 6.3).
private func requireFraming(_ fields: HeaderFields, _ names: [String]) throws {
  func count(_ name: String) -> Int { names.count { $0 == name } }
  try require(count("host") == 1, "one Host, not \(count("host"))")
  try require(count("content-length") + count("transfer-encoding") <= 1, "one length")
  try require(count("idempotency-key") <= 1, "one Idempotency-Key")
  try require(
    names.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }, "names: \(names)")
  try require(fields.host.map { Authority.isValid($0) } == true, "the Host is one")
  if let coding = fields.transferEncoding { try require(coding.text.lowercased() == "chunked", "chunked") }
}

/// What a handler gets to know of the header.
private func answers(to fields: HeaderFields, on connection: ClientConnection) throws -> [String] {
  let request = makeRequest(fields, on: connection, trusting: trusted)
  try require(Application.isOrigin(request.origin), "an origin: \(request.origin)")
  let stranger = makeRequest(fields, on: connection, trusting: [])
  try require(stranger.clientAddress == proxy, "a stranger's word counts for nothing")
  try require(
    stranger.origin == "http://\(fields.host?.text ?? "")", "nor for the origin: \(stranger.origin)")
  try requireForwarding(request)
  try requireLists(request)
  return [
    request.origin, "\(String(describing: request.clientAddress))", "\(request.acceptsJSON)",
    "\(String(describing: request.idempotencyKey))",
  ]
}

private func makeRequest(
  _ fields: HeaderFields, on connection: ClientConnection, trusting ranges: [AddressRange]
) -> Request {
  let request = Request(
    id: RequestID(number: 1), target: RequestTarget([UInt8(ascii: "/")]), connection: connection,
    trustedProxies: ranges)
  request.fields = fields
  return request
}

/// The header with one field set.
private func with<Result>(
  _ name: String, _ value: String, _ fields: HeaderFields, do body: (HeaderFields) throws -> Result
) rethrows -> Result {
  let line = Array("\(name):\(value)".utf8)
  return try line.withUnsafeBytes { bytes in
    var fields = fields
    fields.read(
      name: UnsafeRawBufferPointer(rebasing: bytes[..<name.utf8.count]),
      value: UnsafeRawBufferPointer(rebasing: bytes[(name.utf8.count + 1)...]))
    return try body(fields)
  }
}

/// The client's address is the last of the list that no trusted proxy has: what stands before it, which
/// the client may have written, changes nothing.
private func requireForwarding(_ request: Request) throws {
  let fields = request.fields
  guard let list = fields.forwardedFor?.text else {
    return try require(request.clientAddress == proxy, "without a list the peer is the client")
  }
  func client(_ list: String) -> IPAddress? {
    with("X-Forwarded-For", list, fields) { fields in
      makeRequest(fields, on: request.connection, trusting: trusted).clientAddress
    }
  }
  guard let address = request.clientAddress else { throw Violation(description: "there is a client") }
  if !trusted.contains(where: { $0.contains(address) }) {
    for invented in ["203.0.113.9", "10.1.1.1", "unknown", ""] {
      try require(client("\(invented), \(list)") == address, "\(invented) before \(list)")
    }
  }
  try require(client("\(list), nobody") == proxy, "nothing is read before what can't be: \(list)")
  try require(client("\(list), [::1]:80") == IPAddress("::1"), "the nearest stranger counts: \(list)")
  try require(client("\(list), 10.2.2.2").map { $0 == IPAddress("10.2.2.2") || $0 == address } == true, list)
}

/// Accept and If-None-Match are lists; Idempotency-Key is a value in quotes or without.
private func requireLists(_ request: Request) throws {
  let fields = request.fields
  let etag = ETag(version: "1")
  if let listed = fields.ifNoneMatch {
    let mayMatch = listed.text == "*" || Array(listed).holds(etag.text)
    try require(mayMatch || !etag.matches(listed), "\(listed.text) names nothing of ours")
    try with("If-None-Match", "\(listed.text) , W/\(etag.text)", fields) { fields in
      try require(fields.ifNoneMatch.map(etag.matches) == true, "one more behind \(listed.text)")
    }
  }
  if let accept = fields.accept {
    let mayAccept = accept.text.lowercased().contains("application/json")
    try require(mayAccept || !request.acceptsJSON, "\(accept.text) says nothing of JSON")
    try with("Accept", "\(accept.text) , Application/JSON ;q=1", fields) { fields in
      try require(
        makeRequest(fields, on: request.connection, trusting: []).acceptsJSON,
        "one more behind \(accept.text)")
    }
  }
  if let key = request.idempotencyKey, let value = fields.idempotencyKey {
    let quoted = [UInt8(ascii: "\"")] + key + [UInt8(ascii: "\"")]
    try require(Array(value) == key || Array(value) == quoted, "the key of \(value.text)")
  }
}
