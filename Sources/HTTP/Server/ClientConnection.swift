import Synchronization
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A connection with a client, from accept to close.
final class ClientConnection: @unchecked Sendable {
  // Safe to share: only the thread that serves the connection asks for its origin.
  private let descriptor: Int32
  let address: IPAddress?
  let addressText: String
  let isEncrypted: Bool
  /// When the connection is cut, in nanoseconds of `MonotonicClock`.
  private let deadline: Atomic<UInt64>

  init(descriptor: Int32, address: IPAddress?, isEncrypted: Bool, deadline: UInt64) {
    self.descriptor = descriptor
    self.address = address
    addressText = address?.description ?? "-"
    self.isEncrypted = isEncrypted
    self.deadline = Atomic(deadline)
  }

  func setDeadline(_ time: UInt64) { deadline.store(time, ordering: .relaxed) }

  func isOverdue(at time: UInt64) -> Bool { deadline.load(ordering: .relaxed) <= time }

  /// Ends both directions, which libmicrohttpd sees as the client's leaving.
  func cut() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// The scheme and authority of the last request on this connection: the next one's are mostly the same.
  private var lastOrigin: (host: [UInt8], scheme: String, origin: String)?

  /// Whether the last request whose origin was asked for had this Host.
  func knows(host: UnsafeRawBufferPointer) -> Bool {
    guard let known = lastOrigin?.host, known.count == host.count, let start = host.baseAddress else {
      return false
    }
    return known.withUnsafeBytes { known in
      known.baseAddress.map { memcmp($0, start, host.count) == 0 } ?? true
    }
  }

  /// The scheme and authority that a request with this Host, which is a valid one, was sent to.
  func origin(host: UnsafeRawBufferPointer?, scheme: String) -> String {
    guard let host else { return "\(scheme)://\(localAuthority)" }
    if let lastOrigin, lastOrigin.scheme == scheme, knows(host: host) {
      return lastOrigin.origin
    }
    let origin = "\(scheme)://\(host.text)"
    lastOrigin = (Array(host), scheme, origin)
    return origin
  }

  /// The address and port that the client connected to, as a URL has them.
  var localAuthority: String {
    SocketAddress(localEndOf: descriptor)?.authority ?? "localhost"
  }
}

/// The connections that are open, and the thread that cuts those that are past their deadline: a
/// byte now and then keeps no connection alive.
final class ConnectionRegistry: Sendable {
  private struct State {
    var open: [ObjectIdentifier: ClientConnection] = [:]
    var isClosed = false
  }

  private let state = Condition(State())

  /// How often deadlines are looked at, in seconds.
  private static let period = 0.5

  init(log: Log?) throws(Thread.Exhausted) {
    let state = state
    _ = try Thread {
      while state.wait(seconds: Self.period, until: { $0.isClosed ? true : nil }) == nil {
        let now = MonotonicClock.now
        state.withLock { state in
          for connection in state.open.values where connection.isOverdue(at: now) {
            connection.cut()
            connection.setDeadline(.max)
            log?.write(
              .info, "cut a connection that was too slow", [("client", .text(connection.addressText))])
          }
        }
      }
    }
  }

  deinit {
    close()
  }

  func add(_ connection: ClientConnection) {
    state.withLock { $0.open[ObjectIdentifier(connection)] = connection }
  }

  /// Forgets a connection, before its descriptor is closed and means another one.
  func remove(_ connection: ClientConnection) {
    _ = state.withLock { $0.open.removeValue(forKey: ObjectIdentifier(connection)) }
  }

  /// Cuts every connection.
  func cutAll() {
    state.withLock { for connection in $0.open.values { connection.cut() } }
  }

  /// Ends the thread.
  func close() {
    state.withLock { $0.isClosed = true }
    state.broadcast()
  }
}
