import Certificates
import Foundation
import JSON
import TestSupport
import Threads

@testable import HTTP

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Makes sending to a closed connection an error of the call, and not the end of the tests.
func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

/// A server of one thread on a free port, with the routes that a test adds.
final class RunningServer {
  let server: Server
  let port: UInt16
  /// The encrypted port; nil where there is none.
  let httpsPort: UInt16?

  init(
    _ configure: (inout Server.Configuration) -> Void = { _ in }, middleware: [any Middleware] = [],
    identity: Identity? = nil, routes: (inout Router) -> Void
  ) throws {
    ignoreBrokenPipes()
    var configuration = Server.Configuration()
    configuration.threads = 1
    configure(&configuration)
    var router = Router()
    routes(&router)
    let socket = try ListeningSocket.listen(host: "127.0.0.1", port: 0)
    port = socket.address.port
    let encryption = try identity.map {
      Server.Encryption(
        sockets: [try ListeningSocket.listen(host: "127.0.0.1", port: 0)], identity: CurrentIdentity($0))
    }
    httpsPort = encryption?.sockets[0].address.port
    server = try Server(socket, encryption: encryption, configuration, router: router, middleware: middleware)
  }

  deinit { server.stop() }

  func client() throws -> RawClient { try RawClient(port: port) }

  /// Sends a request on a connection of its own.
  func answer(_ request: String) throws -> RawResponse {
    let client = try client()
    try client.send(request)
    return try client.response()
  }
}

extension Response {
  static func text(_ text: String) -> Response {
    Response(type: "text/plain", body: .buffer(ByteBuffer(text)), caching: .noStore)
  }
}

/// Requests that a handler has suspended, for the test to answer.
final class SuspendedRequests: Sendable {
  private let completions = Condition<[Completion]>([])

  var handler: Handler {
    { [completions] _ in
      .later { completion in
        completions.withLock { $0.append(completion) }
        completions.broadcast()
      }
    }
  }

  /// Waits until so many have come, and takes them.
  func take(_ count: Int) -> [Completion] {
    completions.wait { completions in
      guard completions.count >= count else { return nil }
      defer { completions = [] }
      return completions
    }
  }
}

/// A client that sends its text a byte now and then, until the server has closed the connection.
struct TricklingClient {
  private let descriptor: Int32

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw ListenError.failed("can't connect") }
  }

  struct Outcome: Sendable {
    let isClosed: Bool
    /// What the server sent before.
    let received: String
  }

  /// Sends `start` at once and then a byte of `pattern`, again and again, twenty times a second.
  ///
  /// - Returns: whether the server closed the connection before fifteen seconds had passed.
  func trickle(after start: String, _ pattern: String) -> Outcome {
    defer { close(descriptor) }
    _ = write(descriptor, start, start.utf8.count)
    var received: [UInt8] = []
    let bytes = Array(pattern.utf8)
    let end = MonotonicClock.now + 15_000_000_000
    var sent = 0
    while MonotonicClock.now < end {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 50) > 0 else {
        var byte = bytes[sent % bytes.count]
        sent += 1
        _ = write(descriptor, &byte, 1)
        continue
      }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else {
        return Outcome(isClosed: true, received: String(decoding: received, as: UTF8.self))
      }
      received += buffer[..<count]
    }
    return Outcome(isClosed: false, received: String(decoding: received, as: UTF8.self))
  }
}
