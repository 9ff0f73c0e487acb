import Foundation
import TestSupport
import Threads

/// A server that says what a test has it say, well formed or not.
final class ScriptedServer: Sendable {
  /// A request as it came.
  struct Request: Sendable {
    let method: String
    let target: String
    /// The whole of its header.
    let header: String
    /// How often this target has been asked for, this time included.
    let count: Int
  }

  /// What is sent, and how it goes on then.
  struct Reply: Sendable {
    enum End: Sendable {
      case keepAlive, close
      /// The last bytes again and again, for as long as somebody takes them.
      case forever
      /// Nothing, until somebody ends it.
      case silence
    }

    var bytes: [UInt8]
    var end = End.keepAlive

    static func raw(_ text: String, _ end: End = .close) -> Reply { Reply(bytes: Array(text.utf8), end: end) }

    static func answer(
      _ status: String = "200 OK", type: String? = "application/json", _ body: [UInt8] = [],
      fields: [String] = []
    ) -> Reply {
      let header =
        ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + (type.map { ["Content-Type: \($0)"] } ?? [])
        + fields
      return Reply(bytes: Array((header.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    static func json(_ text: String) -> Reply { answer(type: "application/json", Array(text.utf8)) }
  }

  let port: UInt16
  private let listener: LoopbackSocket
  private let seen = Condition<[Request]>([])
  private let connections = Condition(0)

  init(_ reply: @escaping @Sendable (Request) -> Reply) throws {
    listener = try LoopbackSocket(listeningOn: 0)
    port = listener.port
    Foundation.Thread.detachNewThread { [listener, seen, connections] in
      while let socket = listener.accept() {
        connections.withLock { $0 += 1 }
        Foundation.Thread.detachNewThread { Self.serve(socket, seen, reply) }
      }
    }
  }

  deinit { listener.shutDown() }

  var url: String { "http://127.0.0.1:\(port)" }

  /// What has been asked for, in order.
  var requests: [Request] { seen.withLock { $0 } }

  /// How many connections there have been.
  var connectionCount: Int { connections.withLock { $0 } }

  /// Waits until a target has been asked for so often.
  func wait(for target: String, count: Int = 1) {
    seen.wait { $0.count { $0.target == target } >= count ? () : nil }
  }

  private static func serve(
    _ socket: LoopbackSocket, _ seen: Condition<[Request]>, _ reply: @Sendable (Request) -> Reply
  ) {
    var received: [UInt8] = []
    while let piece = socket.read() {
      received += piece
      while let end = String(decoding: received, as: UTF8.self).range(of: "\r\n\r\n") {
        let text = String(decoding: received, as: UTF8.self)
        let header = String(text[..<end.lowerBound])
        received = Array(text[end.upperBound...].utf8)
        let words = header.split(separator: " ")
        guard words.count > 2 else { return }
        let target = String(words[1])
        let request = seen.withLock { seen in
          let request = Request(
            method: String(words[0]), target: target, header: header,
            count: seen.count { $0.target == target } + 1)
          seen.append(request)
          return request
        }
        seen.broadcast()
        let reply = reply(request)
        guard socket.write(reply.bytes) else { return }
        switch reply.end {
        case .keepAlive: break
        case .close: return
        case .forever:
          let last = Array(reply.bytes.suffix(65_536))
          let chunk = Array(repeatElement(last, count: max(1, 65_536 / max(1, last.count))).joined())
          while socket.write(chunk) {}
          return
        case .silence:
          while socket.read() != nil {}
          return
        }
      }
    }
  }
}
