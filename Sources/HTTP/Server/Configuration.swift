#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Server {
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
}
