#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Time that only goes forward, whatever happens to the wall clock: for deadlines and waits.
public enum MonotonicClock {
  /// Nanoseconds since some moment before the program began.
  public static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
