#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A value that only one thread at a time can touch, with a way to wait for it to change:
/// a POSIX mutex and condition variable around `State`.
///
/// `Synchronization.Mutex` is the choice where nobody waits; it has no condition variable.
public final class Condition<State>: @unchecked Sendable {
  // Safe to share: `state` is only ever reached with the mutex held.
  // What is on the way of every request is inlinable, so that other modules get it for their own `State`.
  @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  @usableFromInline let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  // Unchecked for exclusive access: the mutex sees to that.
  @exclusivity(unchecked) @usableFromInline var state: State

  public init(_ state: sending State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    #if canImport(Darwin)
      pthread_cond_init(condition, nil)
    #else
      // Waits end when their time has passed, whatever happens to the wall clock.
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` with the value, while no other thread has it.
  @inlinable
  public func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Waits until `body` gives a result, trying anew after each `signal` or `broadcast`.
  @inlinable
  public func wait<Result>(until body: (inout State) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// As `wait(until:)`, for at most `seconds`; nil when they have passed without a result.
  public func wait<Result>(seconds: Double, until body: (inout State) -> Result?) -> Result? {
    let end = MonotonicClock.now + UInt64(max(0, seconds) * 1e9)
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      let now = MonotonicClock.now
      guard now < end else { return nil }
      #if canImport(Darwin)
        var rest = timespec(nanoseconds: end - now)
        pthread_cond_timedwait_relative_np(condition, mutex, &rest)
      #else
        var moment = timespec(nanoseconds: end)
        pthread_cond_timedwait(condition, mutex, &moment)
      #endif
    }
  }

  /// Wakes one thread that waits.
  @inlinable
  public func signal() {
    pthread_cond_signal(condition)
  }

  /// Wakes every thread that waits.
  @inlinable
  public func broadcast() {
    pthread_cond_broadcast(condition)
  }
}

extension timespec {
  fileprivate init(nanoseconds: UInt64) {
    self.init(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
