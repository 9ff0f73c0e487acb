import Files
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How it goes with the backups of `serve --backup-every`.
final class BackupHealth: Sendable {
  /// Why the last one wasn't made.
  struct Failure: Sendable {
    /// Seconds since 1970.
    let time: Int
    let detail: String
  }

  private let period: Int
  private let folder: String
  private let newest: @Sendable () -> Int?
  private let failure = Condition<Failure?>(nil)

  /// - Parameters:
  ///   - period: from one backup to the next, in seconds.
  ///   - folder: where they are.
  ///   - newest: when the newest of them was made, in seconds since 1970; nil where there is none.
  init(period: Int, folder: String, newest: @escaping @Sendable () -> Int?) {
    self.period = period
    self.folder = folder
    self.newest = newest
  }

  /// One was made.
  func succeeded() { failure.withLock { $0 = nil } }

  /// One wasn't made.
  func failed(_ detail: String) { failure.withLock { $0 = Failure(time: time(nil), detail: detail) } }

  /// - Parameter now: seconds since 1970.
  func finding(now: Int) -> Finding {
    if let failure = failure.withLock({ $0 }) {
      return .problem(
        "the last backup of --backup-every failed at \(isoTime(failure.time)) (\(failure.detail))",
        "see to that; it is tried again by itself")
    }
    guard let newest = newest() else {
      return .ok("the first backup of --backup-every isn't there yet")
    }
    let text = "the newest backup in \(folder) is of \(isoTime(newest))"
    return now - newest <= 2 * period
      ? .ok(text)
      : .problem("\(text), older than twice what --backup-every says", "see what the server's log says of it")
  }
}
