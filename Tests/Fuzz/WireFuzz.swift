import Foundation
import TestSupport

@testable import Understudy
@testable import UnderstudyTesting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The whole server, over a socket: whatever is sent to it, every answer is one, none says that the server
/// failed, no request is forgotten, and the next client is served.
final class WireFuzz {
  /// So many inputs go to a server before it is ended and another one started.
  private static let inputsPerServer = 2000

  private var server: TestServer
  private var count = 0

  init() throws {
    server = try Self.start()
  }

  private static func start() throws -> TestServer {
    try TestServer { options in
      options.server.threads = 1
      // libmicrohttpd doesn't see a farewell that comes together with what the client sent: such a
      // connection stays until its limit.
      options.server.limits.requestSeconds = 3
      options.server.limits.idleSeconds = 3
      options.logLevel = .debug
      options.logDescriptor = open("/dev/null", O_WRONLY | O_CLOEXEC)
    }
  }

  deinit { server.stop() }

  func run(_ input: [UInt8]) throws {
    let client = try RawClient(port: server.port)
    // The server closes the connection where it has read enough.
    try? client.send(input)
    try requireAnswers(try client.everything(unless: { server.application.server?.activeRequests == 0 }))
    count += 1
    if count.isMultiple(of: 100) { try requireService() }
    if count == Self.inputsPerServer { try restart() }
  }

  private func requireService() throws {
    let client = try RawClient(port: server.port)
    try client.send("GET /invasive/parks/1 HTTP/1.1\r\nHost: a\r\n\r\n")
    let answer = try client.response()
    try require(answer.status == 200, "the next client is served: \(answer.status) \(answer.text)")
  }

  /// A server that still counts a request, whose client has long gone, waits for it.
  private func restart() throws {
    let start = Date()
    server.stop()
    try require(Date().timeIntervalSince(start) < 5, "no request is left when all clients have gone")
    server = try Self.start()
    count = 0
  }

  /// What came is answers, one after the other, and none of them says that the server failed.
  private func requireAnswers(_ received: [UInt8]) throws {
    var rest = received[...]
    while !rest.isEmpty {
      let lines = rest.split(separator: UInt8(ascii: "\n"), maxSplits: 64, omittingEmptySubsequences: false)
      let header = lines.prefix { $0 != [UInt8(ascii: "\r")] }
      try require(
        rest.starts(with: "HTTP/1.1 ".utf8) && header.count < lines.count, "an answer: \(rest.shown)")
      let status = rest.dropFirst(9).prefix(3).shown
      try require(!status.hasPrefix("5") || status == "505", "no failure: \(rest.shown)")
      rest = lines[header.count...].dropFirst().first.map { rest[$0.startIndex...] } ?? []
      let fields = header.map { $0.shown.lowercased() }
      let length =
        fields.first { $0.hasPrefix("content-length: ") }
        .flatMap { Int($0.dropFirst(16).filter(\.isNumber)) } ?? 0
      // The answer to a HEAD says how long its body would be.
      if rest.isEmpty || rest.starts(with: "HTTP/1.1 ".utf8) { continue }
      try require(rest.count >= length, "a whole body: \(rest.shown)")
      if fields.contains(where: { $0.hasPrefix("content-type: application/") && $0.contains("json") }) {
        let body = Data(rest.prefix(length))
        try require(
          (try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)) != nil,
          "a body in JSON: \(rest.shown)")
      }
      rest = rest.dropFirst(length)
    }
  }
}
