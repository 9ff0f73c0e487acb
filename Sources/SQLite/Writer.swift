import Threads

/// The one thread that changes the database.
///
/// Everything that waits when a transaction ends goes into the next one. Where a piece of work can't be
/// done, all of them are done anew with a savepoint for each, so that its failure doesn't undo its
/// neighbour's; what the work reports is passed on only after the commit. Grouping costs nothing in safety: with
/// `synchronous=FULL` a commit that returned is on the disk.
public final class Writer: Sendable {
  /// Work for the writer: run once or, after a neighbour's failure or a failed commit, again.
  private struct Work: Sendable {
    /// Makes the changes.
    let run: @Sendable (Connection) -> Outcome
    /// Reports that the transaction around the work failed.
    let fail: @Sendable (SQLiteError) -> Void
  }

  private enum Outcome {
    /// The changes are made; `report` is called once they are committed.
    case changed(report: () -> Void)
    /// The work gave up; `report` is called once its changes are rolled back.
    case gaveUp(report: () -> Void)
  }

  /// What the writer has done so far.
  public struct Statistics: Sendable {
    /// Transactions committed.
    public var commits = 0
    /// Pieces of work that succeeded in them.
    public var works = 0
    /// The most pieces in one transaction.
    public var largestBatch = 0
  }

  /// The most pieces of work in one transaction: past this a longer transaction gains nothing.
  public static let batchLimit = 1024

  private let queue: BoundedQueue<Work>
  private let thread: Thread
  private let counted: Condition<Statistics>

  /// Starts the writer.
  ///
  /// - Parameters:
  ///   - connection: a connection that may write; the writer's alone from now on.
  ///   - queueLimit: how many pieces of work may wait.
  public init(connection: sending Connection, queueLimit: Int) throws(Thread.Exhausted) {
    let queue = BoundedQueue<Work>(limit: queueLimit)
    let counted = Condition(Statistics())
    self.queue = queue
    self.counted = counted
    let owned = Owned(connection)
    thread = try Thread {
      guard let connection = owned.take() else { return }
      while let batch = queue.popAll(atMost: Self.batchLimit) {
        Self.commit(batch, on: connection, counting: counted)
      }
    }
  }

  /// Carries the connection to the writer's thread.
  private final class Owned: @unchecked Sendable {
    // Safe to send: the caller gave the connection away, and only the writer's thread takes it.
    private var connection: Connection?

    init(_ connection: Connection) { self.connection = connection }

    func take() -> Connection? {
      defer { connection = nil }
      return connection
    }
  }

  /// What the writer has done so far.
  public var statistics: Statistics { counted.withLock { $0 } }

  /// How many pieces of work wait.
  public var queueLength: Int { queue.count }

  /// Hands work to the writer.
  ///
  /// - Parameters:
  ///   - work: does the changes. It may run up to three times (after a neighbour's failure, after a
  ///     commit that failed), so it changes nothing but the database.
  ///   - completion: called once on the writer's thread: with the work's result after the commit,
  ///     with its error after its savepoint was rolled back, or with the commit's `SQLiteError`.
  /// - Returns: false, and neither closure is ever called, where the queue is full or closed.
  public func submit<Result>(
    _ work: @escaping @Sendable (Connection) throws -> Result,
    completion: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
  ) -> Bool {
    queue.push(
      Work(
        run: { connection in
          do {
            let result = try work(connection)
            return .changed { completion(.success(result)) }
          } catch {
            return .gaveUp { completion(.failure(error)) }
          }
        },
        fail: { completion(.failure($0)) }))
  }

  deinit {
    close()
  }

  /// Finishes what waits and ends the thread; from then on `submit` returns false.
  public func close() {
    queue.close()
    thread.join()
  }

  // MARK: On the writer's thread

  private static func commit(
    _ batch: [Work], on connection: Connection, counting counted: Condition<Statistics>
  ) {
    guard batch.count > 1 else {
      for work in batch { commitAlone(work, on: connection, counting: counted) }
      return
    }
    if commit(batch, isolated: false, on: connection, counting: counted) { return }
    if commit(batch, isolated: true, on: connection, counting: counted) { return }
    // Each piece alone may still do, and those that can't learn their own reason.
    for work in batch { commitAlone(work, on: connection, counting: counted) }
  }

  /// Commits a batch in one transaction.
  ///
  /// - Parameter isolated: whether each piece has a savepoint. Without, SQLite has to copy no page before it is
  ///   changed, and where a piece gives up, which is rare, all of them have to be done again.
  /// - Returns: false where the whole transaction is gone and nobody has been told anything.
  private static func commit(
    _ batch: [Work], isolated: Bool, on connection: Connection, counting counted: Condition<Statistics>
  ) -> Bool {
    do {
      try begin(on: connection)
      var outcomes: [Outcome] = []
      outcomes.reserveCapacity(batch.count)
      for work in batch {
        let outcome = try isolated ? runInSavepoint(work, on: connection) : work.run(connection)
        if case .gaveUp = outcome, !isolated {
          connection.rollBack()
          return false
        }
        outcomes.append(outcome)
      }
      try connection.run("COMMIT")
      count(outcomes, in: counted)
      for outcome in outcomes {
        switch outcome {
        case .changed(let report), .gaveUp(let report): report()
        }
      }
      return true
    } catch {
      connection.rollBack()
      return false
    }
  }

  private static func begin(on connection: Connection) throws(SQLiteError) {
    try connection.requireFileInPlace()
    try connection.run("BEGIN IMMEDIATE")
  }

  private static func runInSavepoint(_ work: Work, on connection: Connection) throws(SQLiteError) -> Outcome {
    try connection.run("SAVEPOINT work")
    let outcome = work.run(connection)
    // Where the error ended the transaction itself there is no savepoint left, and this throws.
    if case .gaveUp = outcome { try connection.run("ROLLBACK TO work") }
    try connection.run("RELEASE work")
    return outcome
  }

  private static func commitAlone(
    _ work: Work, on connection: Connection, counting counted: Condition<Statistics>
  ) {
    do {
      try begin(on: connection)
      let outcome = work.run(connection)
      switch outcome {
      case .changed(let report):
        try connection.run("COMMIT")
        count([outcome], in: counted)
        report()
      case .gaveUp(let report):
        connection.rollBack()
        report()
      }
    } catch {
      connection.rollBack()
      work.fail(error)
    }
  }

  private static func count(_ outcomes: [Outcome], in counted: Condition<Statistics>) {
    let changed = outcomes.count { if case .changed = $0 { true } else { false } }
    counted.withLock { statistics in
      statistics.commits += 1
      statistics.works += changed
      statistics.largestBatch = max(statistics.largestBatch, outcomes.count)
    }
  }
}
