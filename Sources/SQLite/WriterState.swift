import Threads

extension Writer {
  /// What the writer has done so far.
  public struct Statistics: Sendable {
    /// Transactions committed.
    public var commits = 0
    /// Pieces of work that succeeded in them.
    public var works = 0
    /// The most pieces in one transaction.
    public var largestBatch = 0
    /// How many pieces there were in each.
    public var batches = Histogram(bounds: (0...10).map { 1 << $0 })
    /// How long it took until each was on the disk, in nanoseconds.
    public var commitTimes = Histogram(bounds: Histogram.durations)
    /// How often the disk or the file was what a change failed for.
    public var diskFailures: UInt64 = 0
  }

  /// What can be seen of the writer from other threads.
  struct State: Sendable {
    var statistics = Statistics()
    var busySince: UInt64?
    /// What the last change failed for, where that was the disk or the file and no change has been written since.
    var failure: SQLiteError?
    /// When a change, or a check in its place, was tried last with a failure, in nanoseconds of `MonotonicClock`.
    private var failedAt: UInt64 = 0

    /// How long a failure is taken for what would happen again, in nanoseconds.
    private static let memory: UInt64 = 1_000_000_000

    mutating func count(_ batch: Int, changes: Int, time: UInt64) {
      statistics.commits += 1
      statistics.works += changes
      statistics.largestBatch = max(statistics.largestBatch, batch)
      statistics.batches.record(UInt64(batch))
      statistics.commitTimes.record(time)
    }

    mutating func note(_ error: SQLiteError) {
      guard error.isOfFile else { return }
      statistics.diskFailures += 1
      failure = error
      failedAt = MonotonicClock.now
    }

    /// How it is found out whether a change would be written.
    enum NextCheck {
      case lockAlone
      /// It failed a moment ago.
      case known(SQLiteError)
      case write
    }

    func nextCheck(at time: UInt64) -> NextCheck {
      guard let failure else { return .lockAlone }
      return time - failedAt < Self.memory ? .known(failure) : .write
    }
  }
}

extension SQLiteError {
  /// Whether it lies in the disk or the file, and not in what was to be done.
  var isOfFile: Bool {
    switch self {
    case .diskFull, .inputOutput, .busy, .moved, .notADatabase: true
    case .notUnique, .noSuchReference, .interrupted, .other: false
    }
  }
}
