import CGnuTLS
import CMicroHTTPD
import Certificates
import Synchronization
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A connection with a client, from accept to close.
final class ClientConnection: @unchecked Sendable {
  // Safe to share: only the thread that serves the connection asks for its origin, and sends.
  private let descriptor: Int32
  let address: IPAddress?
  let addressText: String
  /// What the client is shown; nil where the connection isn't encrypted. It is kept for as long as GnuTLS may
  /// read it.
  let identity: Identity?
  var isEncrypted: Bool { identity != nil }
  /// When the connection is cut, in nanoseconds of `MonotonicClock`.
  private let deadline = Atomic(UInt64.max)
  /// Since when it is the client who has to move; the end of time while it is the server.
  private let lastMove = Atomic(UInt64.max)
  /// Whether what the client has to do is to send a request, and not to read an answer.
  private let awaitsRequest = Atomic(true)
  private let wasCut = Atomic(false)

  /// - Parameter thread: nil where there is no server.
  init(
    descriptor: Int32, address: IPAddress?, identity: Identity? = nil, thread: ServingThread? = nil
  ) {
    self.descriptor = descriptor
    self.address = address
    addressText = address?.description ?? "-"
    self.identity = identity
    self.thread = thread.map { .passUnretained($0) }
  }

  deinit { lastHost.deallocate() }

  /// What was given to GnuTLS's session to be sent.
  @exclusivity(unchecked) private var heldRecord = HeldRecord()

  /// Has the header that is sent next wait for the body that follows it at once.
  func joinHeaderAndBody() {
    if isEncrypted { heldRecord.isNext = true }
  }

  /// The thread that serves it, unretained: the server keeps its threads for longer than connections.
  let thread: Unmanaged<ServingThread>?
  /// GnuTLS's session, and what has been seen of its handshake.
  private var session: OpaquePointer?
  private var handshake = Handshake()

  /// Has GnuTLS send and receive by `send` and `receive`.
  func takeOverTransport(of session: OpaquePointer) {
    self.session = session
    gnutls_transport_set_ptr(session, Unmanaged.passUnretained(self).toOpaque())
    gnutls_transport_set_vec_push_function(session, sendRecords)
    gnutls_transport_set_pull_function(session, receiveBytes)
    gnutls_transport_set_pull_timeout_function(session, waitForBytes)
  }

  /// The connection is closed, and its session gone.
  func forgetSession() {
    thread?._withUnsafeGuaranteedRef { if $0.current === self { $0.current = nil } }
    session = nil
  }

  /// Sends records that GnuTLS has made.
  func send(_ records: UnsafeBufferPointer<iovec>) -> Int {
    thread?._withUnsafeGuaranteedRef { $0.current = self }
    return heldRecord.send(records, on: descriptor)
  }

  /// Receives what GnuTLS asks for. `errno` is as receiving leaves it.
  func receive(_ buffer: UnsafeMutableRawPointer?, count: Int) -> Int {
    thread?._withUnsafeGuaranteedRef { $0.current = self }
    let received = recv(descriptor, buffer, count, 0)
    handshake.received(UnsafeRawBufferPointer(start: buffer, count: max(0, received)), count: received)
    return received
  }

  /// Waits until there is something to receive, as poll(2) does.
  func wait(milliseconds: UInt32) -> Int32 {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, Int32(clamping: milliseconds))
  }

  /// Why its handshake has failed, where it has; nil where it isn't encrypted.
  var handshakeFailure: String? { session.map { handshake.failure(of: $0) } }

  /// From a moment on it is the client who has to move, within so many seconds: to send a request or the rest of it.
  func waitForRequest(from now: UInt64, seconds: Int) {
    waitForClient(at: now, seconds: seconds, awaitsRequest: true)
  }

  /// From a moment on it is the client who has to move, within so many seconds: to read an answer.
  func waitForReader(from now: UInt64, seconds: Int) {
    waitForClient(at: now, seconds: seconds, awaitsRequest: false)
  }

  private func waitForClient(at now: UInt64, seconds: Int, awaitsRequest: Bool) {
    self.awaitsRequest.store(awaitsRequest, ordering: .relaxed)
    lastMove.store(now, ordering: .relaxed)
    deadline.store(now + UInt64(seconds) * 1_000_000_000, ordering: .relaxed)
  }

  /// From now on it is the server who has to move.
  func serveClient() {
    lastMove.store(.max, ordering: .relaxed)
    deadline.store(.max, ordering: .relaxed)
  }

  func isOverdue(at time: UInt64) -> Bool { deadline.load(ordering: .relaxed) <= time }

  /// Since when it is the client who has to move; nil while it is the server.
  var waitingSince: UInt64? {
    let time = lastMove.load(ordering: .relaxed)
    return time == .max ? nil : time
  }

  /// Whether the rest of a request can't come any more. libmicrohttpd can miss that: where the end of what is
  /// received has come together with data, its epoll isn't told of it again.
  ///
  /// - Parameter time: who has waited since then or longer is looked at.
  func hasLeft(waitingSince time: UInt64) -> Bool {
    guard awaitsRequest.load(ordering: .relaxed), let since = waitingSince, since <= time else {
      return false
    }
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
  }

  /// Whether it was cut, and is only to be closed yet.
  var isCut: Bool { wasCut.load(ordering: .relaxed) }

  /// Ends both directions, which libmicrohttpd sees as the client's leaving.
  func cut() {
    wasCut.store(true, ordering: .relaxed)
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// The Host of the last request that had a valid one, and its origin: the next one's are mostly the same.
  @exclusivity(unchecked) private var lastHost = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  @exclusivity(unchecked) private var lastOrigin: (scheme: String, origin: String)?

  /// Whether a request's Host is a valid one.
  func isValid(host: UnsafeRawBufferPointer) -> Bool {
    if isLast(host) { return true }
    guard Authority.isValid(host) else { return false }
    lastHost.deallocate()
    lastHost = .allocate(byteCount: host.count, alignment: 1)
    lastHost.copyMemory(from: host)
    lastOrigin = nil
    return true
  }

  private func isLast(_ host: UnsafeRawBufferPointer) -> Bool {
    // Before the first one none is known, not even an empty one.
    lastHost.baseAddress != nil && host.isSame(as: UnsafeRawBufferPointer(lastHost))
  }

  /// The scheme and authority that a request with this Host, which is a valid one, was sent to.
  func origin(host: UnsafeRawBufferPointer?, scheme: String) -> String {
    guard let host else { return "\(scheme)://\(localAuthority)" }
    let isLast = isLast(host)
    if isLast, let lastOrigin, lastOrigin.scheme == scheme { return lastOrigin.origin }
    let origin = "\(scheme)://\(host.text)"
    if isLast { lastOrigin = (scheme, origin) }
    return origin
  }

  /// The address and port that the client connected to, as a URL has them.
  var localAuthority: String {
    SocketAddress(localEndOf: descriptor)?.authority ?? "localhost"
  }
}
