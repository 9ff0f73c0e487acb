import Threads

/// A clock that stands still until it is told otherwise.
public final class StoppedClock: Sendable {
  private let time = Condition<UInt64>(1_000_000_000_000)

  public init() {}

  public var now: UInt64 { time.withLock { $0 } }

  public func advance(seconds: Double) { time.withLock { $0 += UInt64(seconds * 1e9) } }
}
