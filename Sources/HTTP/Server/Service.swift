import Synchronization
import Threads

/// What a server works with: constant, and the same for every exchange, which has it in place, since looked up at the
/// server a reference would be counted each time.
struct Service: Sendable {
  let routing: RoutingTable
  let middleware: MiddlewareChain
  let limits: Server.Limits
  let trustedProxies: [AddressRange]
  let counts = Counts()

  /// What is under way, counted by all threads. What every request counts is in `ServingThread`.
  final class Counts: Sendable {
    /// The last of the requests' numbers that have been given to threads.
    let lastRequest = Atomic<UInt64>(0)
    /// Requests that wait for another thread.
    let suspended = Atomic<Int>(0)
    let bytesInFlight = Atomic<Int>(0)
    /// Those of them that are no connection's own.
    let bytesShared = Atomic<Int>(0)
    /// What libmicrohttpd refused by itself.
    let unreadable = Atomic<UInt64>(0)
    let isDraining = Atomic<Bool>(false)
    /// Signalled when a request ends or goes on while the server drains. The value says nothing;
    /// one without a size has its neighbour's address, which ThreadSanitizer takes for a race.
    let changed = Condition(false)

    /// A request that waited for another thread goes on.
    func goOn() {
      suspended.subtract(1, ordering: .sequentiallyConsistent)
      wakeWhoWaitsForTheEnd()
    }

    /// A request has ended, or goes on.
    func wakeWhoWaitsForTheEnd() {
      guard isDraining.load(ordering: .sequentiallyConsistent) else { return }
      // With the lock, or the one who waits could miss it between its look and its sleep.
      changed.withLock { _ in }
      changed.broadcast()
    }
  }
}
