import Synchronization

/// A clock that stands still until it is told otherwise.
final class StoppedClock: Sendable {
  private let time = Mutex<UInt64>(1_000_000_000_000)

  var now: UInt64 { time.withLock { $0 } }

  func advance(seconds: Double) { time.withLock { $0 += UInt64(seconds * 1e9) } }
}
