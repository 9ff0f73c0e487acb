import Files
import HTTP
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Makes dated backups in the data folder, a period after the other. The photographs aren't in them: many times over
/// on the disk on which they are anyway, they would only fill it.
///
/// When the first one is due is told by the newest that is there, so that neither restarts nor a time without a server
/// change the rhythm; from then on the monotonic clock counts.
final class BackupSchedule: Sendable {
  struct Plan: Sendable {
    /// From one backup to the next, in seconds.
    var period: Int
    /// How many are kept.
    var keep: Int
    /// The longest until a backup that failed is tried again, in seconds.
    var retry = 300
  }

  private let isClosed = Condition(false)
  private let thread: Threads.Thread

  /// - Parameters:
  ///   - folder: where they go; it is made where there is none.
  ///   - health: who is told how it goes.
  init(
    _ plan: Plan, backups: Backups, folder: String, log: Log, health: BackupHealth
  ) throws(Threads.Thread.Exhausted) {
    let isClosed = isClosed
    let first = Self.delay(plan, now: time(nil), newest: backups.newest(in: folder))
    thread = try Thread(priority: .lowest) {
      var delay = first
      while isClosed.wait(seconds: Double(delay), until: { $0 ? () : nil }) == nil {
        let isMade = Self.make(plan, backups, folder, log, health) { isClosed.withLock { $0 } }
        delay = isMade ? plan.period : min(plan.period, plan.retry)
      }
    }
  }

  /// How long to wait for the first one, in seconds.
  ///
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - newest: when the newest was made; nil where there is none.
  static func delay(_ plan: Plan, now: Int, newest: Int?) -> Int {
    // One of the future says only that a clock was wrong: it counts as made now.
    newest.map { max(0, plan.period - max(0, now - $0)) } ?? 0
  }

  private static func make(
    _ plan: Plan, _ backups: Backups, _ folder: String, _ log: Log, _ health: BackupHealth,
    isOver: @escaping @Sendable () -> Bool
  ) -> Bool {
    do {
      guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw FileError(folder) }
      let start = MonotonicClock.now
      let made = try backups.make(at: folder, takesImages: false, keep: plan.keep, isOver: isOver)
      health.succeeded()
      log.write(
        .info, "backup made",
        [
          ("path", .text(made.path)), ("bytes", .number(Int64(made.bytes))),
          ("ms", .milliseconds(MonotonicClock.now - start)), ("removed", .number(Int64(made.removed.count))),
          ("strange", .number(Int64(made.strange))),
        ])
      return true
    } catch {
      guard !isOver() else { return true }
      let detail = (error as? any ProblemRepresentable)?.problem.detail ?? "\(error)"
      health.failed(detail)
      log.write(.error, "backup failed; it is tried again", [("detail", .text(detail))])
      return false
    }
  }

  /// Ends it; a backup that is being made is given up.
  func close() {
    isClosed.withLock { $0 = true }
    isClosed.broadcast()
    thread.join()
  }
}
