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

  /// Every limit has its name here, its default, and an option on the command line.
  public struct Limits: Sendable {
    /// The longest body of a request, in bytes.
    public var body = 1 << 20
    /// The most connections at a time; past it new ones wait in the kernel's backlog. Before that those
    /// are cut that have waited for their client for longest, where the limit is 16 or more.
    public var connections = 4096
    /// The memory of a connection, in bytes, in which the request line and the header have to find
    /// room, and the answer's header too. libmicrohttpd zeroes all of it for each request, so that it
    /// is the first price of one.
    public var connectionMemory = 8 << 10
    /// How long a request may take to arrive, in seconds.
    public var requestSeconds = 30
    /// How long an idle connection is kept, in seconds.
    public var idleSeconds = 75
    /// The bytes of bodies, received and to be sent, that may be in memory at a time. One half belongs to the
    /// connections, to each its part of it: a small body finds room whatever the others hold.
    public var bytesInFlight = 128 << 20

    /// What of a connection's memory is kept for the header of the answer, in bytes: an answer that finds
    /// no room is not sent at all, whatever was done for it.
    private static let answerMemory = 2048

    /// What of it the request line and the header may take, in bytes.
    var headerMemory: Int { connectionMemory - Self.answerMemory }

    /// The bytes in memory that are each connection's own: 16 KiB, without other options.
    var ownBytes: Int { bytesInFlight / 2 / connections }

    /// Those that are for all.
    var sharedBytes: Int { bytesInFlight - ownBytes * connections }

    public init() {}
  }

  /// What can be set.
  public struct Configuration: Sendable {
    /// How many threads serve; by default one for each core.
    public var threads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    /// Whose `X-Forwarded-For`, `-Host` and `-Proto` count.
    public var trustedProxies: [AddressRange] = []
    /// What a stranger can't exceed.
    public var limits = Limits()
    /// The number of the request before the first: what tells the requests of several servers of a process apart.
    public var lastRequest: UInt64 = 0

    public init() {}
  }

  /// libmicrohttpd didn't start.
  public struct StartError: Error {}

  let log: Log?
  let router: Router
  let middleware: [any Middleware]
  let fixedFields: [Field]
  let limits: Limits
  let trustedProxies: [AddressRange]
  let connections: ConnectionRegistry
  let counts = Counts()
  let handshakeFailures: HandshakeFailures
  let answerCounts: AnswerCounts
  /// What clients of the encrypted ports are shown.
  let identity: CurrentIdentity?
  // No `Mutex`: a thread that waits for one gets it from the kernel, unseen by ThreadSanitizer.
  private let daemons = Condition<[Daemon]>([])

  /// What is under way, counted by all threads.
  struct Counts: ~Copyable {
    let lastRequest = Atomic<UInt64>(0)
    /// Requests from their request line to the last byte of their answer.
    let active = Atomic<Int>(0)
    /// Requests that wait for another thread.
    let suspended = Atomic<Int>(0)
    let bytesInFlight = Atomic<Int>(0)
    /// Those of them that are no connection's own.
    let bytesShared = Atomic<Int>(0)
    /// What libmicrohttpd refused by itself.
    let unreadable = Atomic<UInt64>(0)
    let isDraining = Atomic<Bool>(false)
    /// Signalled when `active` or `suspended` falls while the server drains. The value says nothing;
    /// one without a size has its neighbour's address, which ThreadSanitizer takes for a race.
    let changed = Condition(false)
  }

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
    self.router = router
    self.middleware = middleware
    fixedFields = middleware.flatMap(\.fixedFields)
    handshakeFailures = try HandshakeFailures()
    answerCounts = try AnswerCounts(routes: router.patterns.count)
    limits = configuration.limits
    trustedProxies = configuration.trustedProxies
    connections = try ConnectionRegistry(limit: limits.connections, log: log)
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
  public var activeRequests: Int { counts.active.load(ordering: .sequentiallyConsistent) }

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

  /// Counts a request that has ended or goes on, for those who wait for the end.
  func decrement(_ count: borrowing Atomic<Int>) {
    count.subtract(1, ordering: .sequentiallyConsistent)
    guard counts.isDraining.load(ordering: .sequentiallyConsistent) else { return }
    // With the lock, or the one who waits could miss it between its look and its sleep.
    counts.changed.withLock { _ in }
    counts.changed.broadcast()
  }
}

typealias RequestLineCallback =
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer?
