import CMicroHTTPD
import Synchronization
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The HTTP server: libmicrohttpd with a pool of threads for each port that each wait on epoll (on poll where the
/// platform has no epoll), a router, and the limits that keep a stranger from taking it all.
public final class Server: @unchecked Sendable {
  // Safe to share: everything is set before the daemon starts, or atomic, or locked.

  /// libmicrohttpd didn't start.
  public struct StartError: Error {}

  let log: Log?
  /// The patterns of the routes, by their numbers.
  let patterns: [String]
  let service: Service
  var limits: Limits { service.limits }
  var counts: Service.Counts { service.counts }
  let connections: ConnectionRegistry
  /// Those that serve, of all ports.
  let threads: ThreadLocal<ServingThread>
  let handshakeFailures = HandshakeFailures()
  /// What clients of the encrypted ports are shown.
  let identity: CurrentIdentity?
  // No `Mutex`: a thread that waits for one gets it from the kernel, unseen by ThreadSanitizer.
  private let daemons = Condition<[Daemon]>([])

  /// Where it is reached over TLS, and as whom.
  public struct Encryption: Sendable {
    /// One for each port.
    public let sockets: [ListeningSocket]
    /// What clients are shown.
    public let identity: CurrentIdentity

    public init(sockets: [ListeningSocket], identity: CurrentIdentity) {
      self.sockets = sockets
      self.identity = identity
    }
  }

  /// Starts to serve.
  ///
  /// - Parameters:
  ///   - encryption: where it serves HTTPS beside HTTP; nil for nowhere.
  ///   - log: where it is told what never becomes a request; nil for nowhere.
  /// - Throws: `StartError`, `Thread.Exhausted`.
  public init(
    _ socket: ListeningSocket, encryption: Encryption? = nil, _ configuration: Configuration, router: Router,
    middleware: [any Middleware], log: Log? = nil
  ) throws {
    self.log = log
    patterns = router.patterns
    let service = Service(
      routing: RoutingTable(router), middleware: MiddlewareChain(middleware), limits: configuration.limits,
      trustedProxies: configuration.trustedProxies)
    self.service = service
    let rows = 1 + patterns.count
    threads = try ThreadLocal { ServingThread(service, rows: rows) }
    connections = try ConnectionRegistry(limit: service.limits.connections, log: log)
    identity = encryption?.identity
    counts.lastRequest.store(configuration.lastRequest, ordering: .relaxed)
    logSink.initialize(
      to: mhd_log_sink(call: libraryComplained, context: Unmanaged.passUnretained(self).toOpaque()))
    try start(on: socket, isEncrypted: false, threads: configuration.threads)
    for socket in encryption?.sockets ?? [] {
      try start(on: socket, isEncrypted: true, threads: configuration.threads)
    }
  }

  deinit {
    stop()
    logSink.deallocate()
  }

  private func start(on socket: ListeningSocket, isEncrypted: Bool, threads: Int) throws(StartError) {
    guard let started = startDaemon(on: socket, isEncrypted: isEncrypted, threads: threads) else {
      // Those of other ports end with the object.
      throw StartError()
    }
    // libmicrohttpd closes it.
    socket.giveAway()
    daemons.withLock { $0.append(Daemon(pointer: started)) }
  }

  /// Where libmicrohttpd finds whom to tell of what it refuses.
  private let logSink = UnsafeMutablePointer<mhd_log_sink>.allocate(capacity: 1)

  private func startDaemon(on socket: ListeningSocket, isEncrypted: Bool, threads: Int) -> OpaquePointer? {
    // Not for encrypted ports: 0.9.75 takes a connection on epoll whose handshake waits for the rest of a message for
    // ready, again and again, so that a single one that waits takes a whole core.
    let polling =
      !isEncrypted && MHD_is_feature_supported(.FEATURE_EPOLL) == .YES
      ? MHD_USE_EPOLL_INTERNAL_THREAD : MHD_USE_POLL_INTERNAL_THREAD
    let flags =
      polling.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_ERROR_LOG.rawValue
      | (isEncrypted ? MHD_USE_TLS.rawValue : 0)
    let this = Unmanaged.passUnretained(self).toOpaque()
    func item(_ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil) -> MHD_OptionItem
    {
      MHD_OptionItem(option: option, value: value, ptr_value: pointer)
    }
    var items = [
      item(.EXTERNAL_LOGGER, unsafeBitCast(mhd_log_callback(), to: Int.self), logSink),
      item(.LISTEN_SOCKET, Int(socket.descriptor)),
      item(.CONNECTION_LIMIT, limits.connections),
      item(.CONNECTION_TIMEOUT, limits.idleSeconds),
      item(.CONNECTION_MEMORY_LIMIT, limits.connectionMemory),
      item(.URI_LOG_CALLBACK, unsafeBitCast(requestLineArrived as RequestLineCallback, to: Int.self), this),
      item(
        .NOTIFY_COMPLETED, unsafeBitCast(requestCompleted as MHD_RequestCompletedCallback, to: Int.self), this
      ),
      item(
        .NOTIFY_CONNECTION, unsafeBitCast(connectionChanged as MHD_NotifyConnectionCallback, to: Int.self),
        this),
    ]
    // libmicrohttpd takes a pool of one for a mistake.
    if threads > 1 { items.append(item(.THREAD_POOL_SIZE, threads)) }
    // From 0.9.76 on it can refuse by itself what `HeaderFields` finds in the header of 0.9.75.
    if mhd_has_client_discipline() != 0 { items.append(item(.STRICT_FOR_CLIENT, 1)) }
    let priorities = strdup(tlsPriorities)
    defer { free(priorities) }
    if isEncrypted {
      let callback = unsafeBitCast(chooseIdentity as IdentityCallback, to: UnsafeMutableRawPointer.self)
      items.append(item(.HTTPS_CERT_CALLBACK, 0, callback))
      items.append(item(.HTTPS_PRIORITIES, 0, priorities))
    }
    items.append(item(.END, 0))
    return items.withUnsafeMutableBufferPointer { items in
      withVaList([
        Int32(bitPattern: MHD_OPTION.ARRAY.rawValue), OpaquePointer(items.baseAddress!),
        Int32(bitPattern: MHD_OPTION.END.rawValue),
      ]) {
        MHD_start_daemon_va(flags, 0, acceptConnection, this, handleRequest, this, $0)
      }
    }
  }

  /// libmicrohttpd's version, as `0.9.75`.
  public static var libraryVersion: String { String(cString: MHD_get_version()) }

  /// How many requests are being answered.
  public var activeRequests: Int {
    threads.all.reduce(0) { $0 + $1.active.load(ordering: .sequentiallyConsistent) }
  }

  /// How many bytes of bodies are in memory.
  public var bytesInFlight: Int { counts.bytesInFlight.load(ordering: .relaxed) }

  // MARK: The end

  /// From now on new connections are closed at once, and requests on open ones are answered 503.
  ///
  /// The socket goes on listening until `stop`: `MHD_quiesce_daemon` races with the threads of its
  /// pool for the listening socket, and now and then aborts the process.
  public func beginDraining() {
    counts.isDraining.store(true, ordering: .sequentiallyConsistent)
  }

  /// Waits until every request has been answered.
  ///
  /// - Returns: false when `seconds` have passed and some haven't.
  public func waitUntilIdle(seconds: Double) -> Bool {
    counts.changed.wait(seconds: seconds) { _ in activeRequests == 0 ? true : nil } ?? false
  }

  /// How long the last answers may take to be sent, once they are there, in seconds.
  public static let lastWords = 1.0

  /// Ends the server. Whoever has to answer suspended requests has done so, or does it now: this
  /// waits for them, since libmicrohttpd can't end with a suspended connection.
  public func stop() {
    daemons.withLock { daemons in
      guard !daemons.isEmpty else { return }
      beginDraining()
      counts.changed.wait { _ -> Void? in
        counts.suspended.load(ordering: .sequentiallyConsistent) == 0 ? () : nil
      }
      _ = waitUntilIdle(seconds: Self.lastWords)
      connections.cutAll()
      for daemon in daemons { MHD_stop_daemon(daemon.pointer) }
      daemons = []
      connections.close()
    }
  }

  private struct Daemon: @unchecked Sendable {
    // Safe to share: only its end touches it, under a lock.
    let pointer: OpaquePointer
  }
}

typealias RequestLineCallback =
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer?
