import JSON
import TestSupport
import Testing

@testable import HTTP

/// The requests of a thread have the same objects, one after the other.
@Suite("One request after another", .timeLimit(.minutes(1)))
struct ExchangeTests {
  /// Answers with all that it finds of a request.
  private static let echo: Handler = { request in
    let fields = request.fields
    let values = [
      fields.ifNoneMatch, fields.accept, fields.idempotencyKey, fields.authorization, fields.expect,
      fields.contentLength, fields.transferEncoding,
    ].map { $0.map(\.text) ?? "none" }
    let pairs = request.target.query().pairs.count
    let body = ByteBuffer(
      """
      \(request.method.name) \(String(decoding: request.target.raw, as: UTF8.self)) \(request.isHTTP11) \(values) \
      \(request.route?.pattern ?? "none") \(request.parameter("id") ?? "none") \(request.origin) \
      \(request.target.segmentCount) \(request.target.hasEscapes) \(pairs) \
      \(String(decoding: request.body, as: UTF8.self))
      """)
    return .now(Response(type: "text/plain", body: .buffer(body), caching: .validated(nil)))
  }

  private static let requests = [
    "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /echo HTTP/1.1\r\nHost: bb:8080\r\nAccept: application/json\r\nIf-None-Match: \"x\"\r\n\r\n",
    "GET /echo HTTP/1.1\r\nHost: a\r\nIf-None-Match: *\r\n\r\n",
    "GET /echo?a=1&b=2 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer t\r\n\r\n",
    "GET /items/%6Fne%20two HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /items/\(String(repeating: "x", count: 600)) HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET http://c/items/3 HTTP/1.1\r\nHost: a\r\n\r\n",
    "HEAD /echo HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /echo HTTP/1.1\r\nHost: a\r\nIdempotency-Key: k\r\nContent-Length: 5\r\n\r\nfirst",
    "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 200\r\n\r\n\(String(repeating: "y", count: 200))",
    "OPTIONS /echo HTTP/1.1\r\nHost: a\r\n\r\n", "PUT /echo HTTP/1.1\r\nHost: a\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /later HTTP/1.1\r\nHost: a\r\n\r\n", "GET /prepared HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /fails HTTP/1.1\r\nHost: a\r\n\r\n",
  ]

  private static func server() throws -> RunningServer {
    let prepared = PreparedResponse(.json(ByteBuffer("[]")))
    return try RunningServer(
      { $0.limits.body = 100 },
      routes: { router in
        router.get("/echo", echo)
        router.post("/echo", echo)
        router.get("/items/:id", echo)
        router.get("/later") { _ in .later { $0.succeed(.text("later")) } }
        router.get("/prepared") { _ in .prepared(prepared) }
        router.get("/fails") { _ in throw ListenError.failed("it") }
      })
  }

  /// What a request is answered, without what is another each time.
  private static func answer(_ request: String, of client: RawClient) throws -> [String] {
    try client.send(request)
    let answer = try client.response(isHEAD: request.hasPrefix("HEAD"))
    let fields = answer.fields.filter { !["date", "content-length"].contains($0.name.lowercased()) }
    let text = answer.text.replacing(#/[0-9a-f]{8}-[0-9a-f]+/#, with: "id")
    return ["\(answer.status)", text] + fields.map { "\($0.name): \($0.value)" }
  }

  @Test("none finds anything of the one before, on its connection or another one")
  func pairs() throws {
    let server = try Self.server()
    let alone = try Self.requests.map { request in
      let fresh = try Self.server()
      return try withExtendedLifetime(fresh) { try Self.answer(request, of: try fresh.client()) }
    }
    for (index, first) in Self.requests.enumerated() {
      for (second, expected) in zip(Self.requests, alone) {
        let client = try server.client()
        #expect(try Self.answer(first, of: client) == alone[index])
        #expect(try Self.answer(second, of: client) == expected, "behind \(first.prefix(60))")
        #expect(try Self.answer(second, of: try server.client()) == expected)
      }
    }
  }

  @Test("those of all threads have numbers of their own")
  func numbers() throws {
    let server = try RunningServer(
      { $0.threads = 4 }, middleware: [RequestIDs()], routes: { $0.get("/echo", Self.echo) })
    let clients = try (0..<32).map { _ in try server.client() }
    var ids: Set<String> = []
    for _ in 0..<20 {
      for client in clients { try client.send(Self.requests[0]) }
      for client in clients { ids.insert(try #require(try client.response()["X-Request-Id"])) }
    }
    #expect(ids.count == 640)
  }
}
