import TestSupport
import Testing

@testable import HTTP

@Suite("What a proxy says of a request")
struct ForwardingTests {
  private func server(trusting ranges: [String]) throws -> RunningServer {
    try RunningServer { configuration in
      configuration.trustedProxies = ranges.compactMap { AddressRange($0) }
    } routes: { router in
      router.get("/") { .now(.text("\($0.origin) \($0.clientAddress?.description ?? "-")")) }
    }
  }

  private func answer(_ server: RunningServer, target: String = "/", _ fields: [String]) throws -> String {
    let header = (["GET \(target) HTTP/1.1", "Host: a:1"] + fields).joined(separator: "\r\n")
    return try server.answer(header + "\r\n\r\n").text
  }

  @Test("counts for nothing from a stranger", arguments: [[], ["10.0.0.0/8", "::1"]])
  func stranger(ranges: [String]) throws {
    let server = try server(trusting: ranges)
    let fields = ["X-Forwarded-For: 203.0.113.9", "X-Forwarded-Host: evil", "X-Forwarded-Proto: https"]
    #expect(try answer(server, fields) == "http://a:1 127.0.0.1")
  }

  @Test(
    "counts from a trusted one, where it makes sense",
    arguments: [
      ([], "http://a:1 127.0.0.1"),
      (
        ["X-Forwarded-For: 203.0.113.9", "X-Forwarded-Host: b.example", "X-Forwarded-Proto: https"],
        "https://b.example 203.0.113.9"
      ),
      (["X-Forwarded-Proto: https"], "https://a:1 127.0.0.1"),
      (["X-Forwarded-Proto: HTTPS"], "https://a:1 127.0.0.1"),
      (["X-Forwarded-Proto: ftp"], "http://a:1 127.0.0.1"),
      (["X-Forwarded-Host: b:8080"], "http://b:8080 127.0.0.1"),
      (["X-Forwarded-Host: \"><script>"], "http://a:1 127.0.0.1"),
      (["X-Forwarded-Host: a/b"], "http://a:1 127.0.0.1"),
      (["X-Forwarded-For: 6.6.6.6, 203.0.113.9"], "http://a:1 203.0.113.9"),
      (["X-Forwarded-For: 6.6.6.6,203.0.113.9 , 10.1.2.3"], "http://a:1 203.0.113.9"),
      (["X-Forwarded-For: 2001:db8::1"], "http://a:1 2001:db8::1"),
      (["X-Forwarded-For: nonsense"], "http://a:1 127.0.0.1"),
      (["X-Forwarded-For: 10.1.2.3"], "http://a:1 10.1.2.3"), (["X-Forwarded-For:"], "http://a:1 127.0.0.1"),
      (["X-Forwarded-For: 6.6.6.6", "X-Forwarded-For: 203.0.113.9"], "http://a:1 203.0.113.9"),
    ] as [([String], String)])
  func trusted(fields: [String], expected: String) throws {
    let server = try server(trusting: ["127.0.0.1", "10.0.0.0/8"])
    #expect(try answer(server, fields) == expected)
  }

  @Test(
    "never lets the client choose its own address, however the proxy writes the one it saw",
    arguments: [
      "203.0.113.9:4711", "[2001:db8::1]:4711", "[2001:db8::1]", "\"203.0.113.9\"", "unknown",
      "\t203.0.113.9\t",
    ])
  func spoofed(last: String) throws {
    let server = try server(trusting: ["127.0.0.1"])
    #expect(try !answer(server, ["X-Forwarded-For: 6.6.6.6, \(last)"]).contains("6.6.6.6"))
  }

  @Test("without a proxy the target's authority goes before the Host, and HTTP/1.0 may have neither")
  func origins() throws {
    let server = try server(trusting: [])
    #expect(try answer(server, target: "http://b:2/", []) == "http://b:2 127.0.0.1")
    #expect(try server.answer("GET / HTTP/1.0\r\n\r\n").text == "http://127.0.0.1:\(server.port) 127.0.0.1")
  }
}
