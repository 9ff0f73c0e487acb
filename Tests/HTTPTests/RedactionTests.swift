import Foundation
import JSON
import TestSupport
import Testing

@testable import HTTP

@Suite("Secrets in what is written down")
struct RedactionTests {
  private static let key = "316148225427892374918273645546372819201"

  /// The routes of requests, which count no reference to them.
  private final class Routes {
    var all: [Route] = []
  }
  private let routes = Routes()
  private let connection = ClientConnection(descriptor: -1, address: nil)

  private func request(_ target: String, route: String? = nil) -> Request {
    let request = Request(
      id: RequestID(number: 1), target: RequestTarget(Array(target.utf8)),
      connection: connection, trustedProxies: [])
    if let route {
      let route = Route(route, number: 1)
      routes.all.append(route)
      request.routed = .passUnretained(route)
    }
    return request
  }

  @Test(
    "a route's key is struck out, and the rest of the path is seen",
    arguments: [
      ("/directory/people/KEY", "/directory/people/:key", "/directory/people/‹key›"),
      ("/directory/people/KEY/", "/directory/people/:key", "/directory/people/‹key›/"),
      ("/directory/people/KEY/3", "/directory/people/:key/:id", "/directory/people/‹key›/3"),
      ("/directory/people/guess/3", "/directory/people/:key/:id", "/directory/people/‹key›/3"),
      (
        "http://host/directory/people/KEY/3?x", "/directory/people/:key/:id",
        "/directory/people/‹key›/3?‹redacted›"
      ),
      ("/invasive/parks/3", "/invasive/parks/:id", "/invasive/parks/3"), ("/", "/", "/"),
    ])
  func routes(target: String, route: String, expected: String) {
    let request = request(target.replacing("KEY", with: Self.key), route: route)
    #expect(Redaction.target(of: request) == expected)
  }

  @Test(
    "a target that is written from its bytes as they are looks like one that isn't",
    arguments: [
      ("/directory/people/KEY", "/directory/people/:key"),
      ("/directory/people/KEY/", "/directory/people/:key"),
      ("/directory/people/guess/3/", "/directory/people/:key/:id"), ("/", "/"),
      ("http://host/directory/people/KEY/3", "/directory/people/:key/:id"), ("http://host", "/"),
      ("/directory/people/3/KEY", "/directory/people/:key/:id"), ("/invasive/parks/", "/invasive/parks"),
      ("/invasive/images/a.png", "/invasive/images/:file"),
      ("/invasive/images/KEY", "/invasive/images/:file"), ("/users/directory/check", "/users/:app/check"),
    ])
  func plain(target: String, route: String) {
    let request = request(target.replacing("KEY", with: Self.key), route: route)
    #expect(Redaction.isPlain(targetOf: request))
    let written = ByteBuffer()
    written.append(atMost: Redaction.length(ofPlainTargetOf: request)) {
      Redaction.append(plainTargetOf: request, to: &$0)
    }
    #expect(written.text == Redaction.target(of: request))
    #expect(!written.text.contains(Self.key))
  }

  @Test(
    "a target with more to it is not written as it is",
    arguments: [
      ("/u?password=x", "/u"), ("/invasive/parks/%33", "/invasive/parks/:id"), ("/people/a&b", "/people/:id"),
      ("/people/é", "/people/:id"), ("/people/a\u{1B}", "/people/:id"), ("/nowhere", nil),
    ])
  func notPlain(target: String, route: String?) {
    #expect(!Redaction.isPlain(targetOf: request(target, route: route)))
  }

  @Test(
    "a key is nowhere seen, whatever a client makes of the address",
    arguments: [
      ("/directory/peeple/KEY", nil), ("/KEY", nil), ("/directory/people/KEY/3/4", nil),
      ("/directory//people/KEY", nil),
      ("/directory/users/KEY", nil), ("/directory/people/<KEY>", nil), ("/directory/people%2FKEY", nil),
      ("/directory/people/ESCAPED", nil), ("/directory/people/%22KEY%22", nil), ("KEY", nil),
      ("/directory/people/3/KEY", "/directory/people/:key/:id"),
      ("/invasive/parks/KEY", "/invasive/parks/:id"),
      ("/invasive/images/KEY", "/invasive/images/:file"), ("/directory/people?KEY", nil),
      ("/directory/people?key=KEY", nil), ("/directory/users?user=KEY&password=", "/directory/users"),
    ])
  func keys(target: String, route: String?) {
    let escaped = Self.key.utf8.map { "%3\($0 - 0x30)" }.joined()
    let written = Redaction.target(
      of: request(target.replacing("KEY", with: Self.key).replacing("ESCAPED", with: escaped), route: route))
    #expect(!written.contains(Self.key), "\(written)")
    #expect(!written.contains(escaped), "\(written)")
  }

  @Test(
    "a password is nowhere seen, whatever a client makes of the query",
    arguments: [
      "/u?user=ada&password=SECRET", "/u?password=SECRET", "/u?password=x&password=SECRET",
      "/u?Password=SECRET",
      "/u?pass%77ord=SECRET", "/u?passwort=SECRET", "/u?SECRET", "/u?SECRET=", "/u?password=a=SECRET",
      "/u?=SECRET",
      "/u?password=a%26SECRET", "/u?user%3Dada=SECRET", "/u?user=ada&amp;password=SECRET",
      "/u?user=ada;password=SECRET",
      "/u?user=ada?password=SECRET", "/u?user=ada%26password=SECRET", "/u?user=ada%26password%3DSECRET",
      "http://host/u?user=ada&password=SECRET",
    ])
  func passwords(target: String) {
    let written = Redaction.target(of: request(target.replacing("SECRET", with: "hunter2"), route: "/u"))
    #expect(!written.contains("hunter2"), "\(written)")
    #expect(written.hasPrefix("/u"))
  }

  @Test("what is no secret is seen, so that a log can be read")
  func open() {
    #expect(
      Redaction.target(of: request("/u?user=ada&password=x&species=1&park=2&limit=3&after=4", route: "/u"))
        == "/u?user=ada&password=‹redacted›&species=1&park=2&limit=3&after=4")
    #expect(
      Redaction.target(of: request("/invasive/nowhere/garlic-mustard-2024.png"))
        == "/invasive/nowhere/garlic-mustard-2024.png")
  }

  @Test("neither the log nor a problem of a running server has a key or a password")
  func served() throws {
    let pipe = Pipe()
    let log = try Log(level: .debug, format: .json, descriptor: pipe.fileHandleForWriting.fileDescriptor)
    let server = try RunningServer(middleware: [RequestIDs(), AccessLog(log)]) { router in
      router.get("/people/:key") { _ in throw Problem.notFound("There is no such key.") }
    }
    let client = try server.client()
    for target in ["/people/\(Self.key)?user=ada&password=hunter2", "/peeple/\(Self.key)/3", "//\(Self.key)"]
    {
      for method in ["GET", "POST", "HEAD"] {
        try client.send("\(method) \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        let answer = try client.response(isHEAD: method == "HEAD")
        #expect([404, 405].contains(answer.status))
        #expect(!answer.text.contains(Self.key))
        #expect(!answer.text.contains("hunter2"))
      }
    }
    server.server.stop()
    log.close()
    try pipe.fileHandleForWriting.close()
    let written = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(written.split(separator: "\n").count == 9)
    #expect(written.contains("/people/‹key›?user=ada&password=‹redacted›"))
    #expect(!written.contains(Self.key))
    #expect(!written.contains("hunter2"))
  }

  @Test("a target that isn't UTF-8 makes a line that is, and still JSON")
  func notUTF8() throws {
    let pipe = Pipe()
    let log = try Log(level: .debug, format: .json, descriptor: pipe.fileHandleForWriting.fileDescriptor)
    let server = try RunningServer(middleware: [AccessLog(log)]) { router in
      router.get("/images/:file") { _ in .now(.text("")) }
    }
    let client = try server.client()
    try client.send(Array("GET /images/".utf8) + [0xFF, 0xC3] + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    #expect(try client.response().status == 200)
    server.server.stop()
    log.close()
    try pipe.fileHandleForWriting.close()
    let line = try pipe.fileHandleForReading.readToEnd() ?? Data()
    let entry = try JSONSerialization.jsonObject(with: line) as? [String: Any]
    #expect(entry?["message"] as? String == "GET /images/\u{FFFD}\u{FFFD}")
  }
}
