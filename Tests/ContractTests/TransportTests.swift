import TestSupport
import Testing
import UnderstudyTesting

/// "Keep-alive, pipelining, Expect: 100-continue, chunked bodies, HTTP/1.0, absolute-form targets, IPv4
/// and IPv6 work."
@Suite("Transport", .fixture)
struct TransportTests {
  private let fixture: Fixture
  private let client: RawClient

  init() throws {
    fixture = try #require(Fixture.shared)
    client = try RawClient(port: fixture.server.port)
  }

  private func send(_ text: String) throws { try client.send(fixture.resolve(text)) }

  @Test("a connection serves one request after the other, an error between them")
  func keepAlive() throws {
    for _ in 0..<20 {
      #expect(try client.answer("GET /invasive/parks/1", port: fixture.server.port).status == 200)
      #expect(try client.answer("POST /nothing", "{", port: fixture.server.port).status == 404)
    }
  }

  @Test("requests sent at once are answered in their order")
  func pipelining() throws {
    try send(
      [
        Wire.message("GET /invasive/parks/2", nil, with: []),
        Wire.message("POST /directory/people/{scratch}", nil, with: ["Content-Length: 2"]) + "{}",
        Wire.message("GET /invasive/parks/999", nil, with: []),
        Wire.message("POST /directory/people/{scratch}", nil, with: ["Content-Length: 2"]) + "{}",
        Wire.message("GET /invasive/parks/3", nil, with: []),
      ].joined())
    #expect(try client.response().text.hasPrefix(#"{"idpark":2,"#))
    let first = try #require(Int(client.response().text))
    #expect(try client.response().status == 404)
    let second = try #require(Int(client.response().text))
    #expect(first < second)
    #expect(try client.response().text.hasPrefix(#"{"idpark":3,"#))
  }

  @Test(
    "a header that leaves no room for an answer's is refused before anything is done",
    arguments: [6500, 7000, 7300])
  func longHeader(length: Int) throws {
    let key = try fixture.server.addKey("long-\(length)")
    try send(
      Wire.message(
        "POST /directory/people/\(key)?\(String(repeating: "z", count: length))", nil,
        with: ["Content-Length: 2"]) + "{}")
    #expect(try client.response().status == 431)
    #expect(client.isClosedByServerInTheEnd())
    #expect(try fixture.server.answer("GET /directory/people/\(key)").text == "[]")
  }

  @Test("where trailers leave no room for an answer nothing is done", arguments: [20, 30, 36])
  func trailers(count: Int) throws {
    let key = try fixture.server.addKey("trailers-\(count)")
    try send(
      Wire.message(
        "POST /directory/people/\(key)", nil,
        with: ["Transfer-Encoding: chunked", "X-Filler: \(String(repeating: "z", count: 5500))"])
        + "2\r\n{}\r\n0\r\n" + (0..<count).map { "T\($0): e\r\n" }.joined() + "\r\n")
    // The refusal may find no room either; then the connection ends without it.
    if let response = try? client.response() { #expect(response.status == 431) }
    #expect(try fixture.server.answer("GET /directory/people/\(key)").text == "[]")
  }

  @Test("a length beyond 64 bits is too long, at once")
  func absurdLength() throws {
    try send(Wire.message("POST /invasive/users", nil, with: ["Content-Length: 9223372036854775808"]))
    #expect(try client.response().status == 413)
  }

  @Test("many parameters are as many bytes, no more")
  func manyParameters() throws {
    try send(Wire.message("GET /invasive/parks/1?\(String(repeating: "a&", count: 1000))", nil, with: []))
    #expect(try client.response().status == 200)
  }

  @Test("a preflight for more headers than fit into the answer allows them all")
  func longPreflight() throws {
    let headers = (0..<200).map { "x-header-\($0)" }.joined(separator: ",")
    try send(
      Wire.message(
        "OPTIONS /invasive/parks", nil,
        with: ["Access-Control-Request-Method: POST", "Access-Control-Request-Headers: \(headers)"]))
    #expect(try client.response()["Access-Control-Allow-Headers"] == "*")
  }

  @Test("a request may come a byte at a time")
  func bytewise() throws {
    for byte in fixture.resolve(
      Wire.message("POST /directory/people/{scratch}", nil, with: ["Content-Length: 8"]) + #"{"a":12}"#
    ).utf8 {
      try client.send([byte])
    }
    #expect(try client.response().status == 200)
  }

  @Test("a client that waits for 100 gets it, sends its body and is answered")
  func expectation() throws {
    try send(
      Wire.message(
        "POST /directory/people/{scratch}", nil, with: ["Content-Length: 2", "Expect: 100-continue"]))
    #expect(try client.response().status == 100)
    try client.send("{}")
    #expect(try client.response().status == 200)
    #expect(try client.answer("GET /invasive/parks/1", port: fixture.server.port).status == 200)
  }

  @Test(
    "a client that waits for 100 is refused instead, before it sends its body",
    arguments: [
      ("POST /nothing", 2, 404), ("POST /invasive/parks", 2, 405),
      ("POST /invasive/observations", 1 << 20 + 1, 413),
    ])
  func refusedExpectation(request: String, length: Int, status: Int) throws {
    try send(Wire.message(request, nil, with: ["Content-Length: \(length)", "Expect: 100-continue"]))
    let response = try client.response()
    #expect(response.status == status)
    EveryAnswer.check(response, method: "POST", target: request, #_sourceLocation)
  }

  @Test("a body may come in chunks, with extensions and a trailer")
  func chunked() throws {
    try send(Wire.message("POST /directory/people/{scratch}", nil, with: ["Transfer-Encoding: chunked"]))
    for chunk in ["1\r\n{\r\n", "7;x=y\r\n\"name\":\r\n", "003\r\n\"c\"\r\n", "A\r\n,\"a\":1.10}\r\n"] {
      try client.send(chunk)
    }
    try client.send("0\r\nX-Trailer: a\r\n\r\n")
    let id = try client.response().text
    let person = try client.answer(
      fixture.resolve("GET /directory/people/{scratch}/\(id)"), port: fixture.server.port)
    #expect(person.text.hasPrefix(#"{"id":\#(id),"name":"c","office":"","user":"#))
    #expect(person.text.hasSuffix(#","a":1.10}"#))
  }

  @Test("a body in chunks is refused past 1 MiB too")
  func chunkedTooLong() throws {
    try send(Wire.message("POST /invasive/observations", nil, with: ["Transfer-Encoding: chunked"]))
    for _ in 0..<17 { try client.send("10000\r\n\(" ".times(0x10000))\r\n") }
    try client.send("0\r\n\r\n")
    #expect(try client.response().status == 413)
  }

  @Test("a request whose client goes away before its end changes nothing")
  func cutOff() throws {
    try send(
      Wire.message(
        "POST /directory/people/{empty}", nil, with: ["Content-Length: 2", "Expect: 100-continue"]))
    #expect(try client.response().status == 100)
    client.finishSending()
    #expect(client.isClosedByServer())
    #expect(try fixture.server.answer(fixture.resolve("GET /directory/people/{empty}")).text == "[]")
  }

  @Test("the limit of a body is an option")
  func bodyLimit() throws {
    let server = try TestServer { $0.server.limits.body = 100 }
    defer { server.stop() }
    #expect(try server.answer("POST /invasive/observations", " ".times(100)).status == 400)
    #expect(try server.answer("POST /invasive/observations", " ".times(101)).status == 413)
  }

  private static let hasIPv6 =
    (try? TestServer { $0.host = "::1" }).map { server in
      server.stop()
      return true
    } ?? false

  @Test("IPv6 and IPv4 are served by the same port", .enabled(if: hasIPv6, "this machine has no IPv6"))
  func bothFamilies() throws {
    let server = try TestServer { $0.host = nil }
    defer { server.stop() }
    for isIPv6 in [true, false] {
      let client = try RawClient(port: server.port, ipv6: isIPv6)
      let host = isIPv6 ? "[::1]:\(server.port)" : "127.0.0.1:\(server.port)"
      try client.send("GET /invasive/species/1 HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      #expect(try client.response().text.contains("\"image\":\"http://\(host)/invasive/images/"))
      // Without a Host the URL is made of the address that the client connected to.
      try client.send("GET /invasive/species/1 HTTP/1.0\r\n\r\n")
      #expect(try client.response().text.contains("\"image\":\"http://\(host)/invasive/images/"))
    }
  }
}
