import Threads

/// The one thread that changes the database.
///
/// Everything that waits when a transaction ends goes into the next one. Where a piece of work can't be
/// done, all of them are done anew with a savepoint for each, so that its failure doesn't undo its
/// neighbour's; what the work reports is passed on only after the commit. Grouping costs nothing in safety: with
/// `synchronous=FULL` a commit that returned is on the disk.
public final class Writer: Sendable {
  /// The most pieces of work in one transaction: past this a longer transaction gains nothing.
  public static let batchLimit = 1024

  private let queue: BoundedQueue<any Work>
  private let thread: Thread
  private let state: Condition<State>

  /// Starts the writer.
  ///
  /// - Parameters:
  ///   - connection: a connection that may write; the writer's alone from now on.
  ///   - queueLimit: how many pieces of work may wait.
  public init(connection: sending Connection, queueLimit: Int) throws(Thread.Exhausted) {
    let queue = BoundedQueue<any Work>(limit: queueLimit)
    let state = Condition(State())
    self.queue = queue
    self.state = state
    let owned = Owned(connection)
    thread = try Thread {
      guard let connection = owned.take() else { return }
      while let batch = queue.popAll(atMost: Self.batchLimit) {
        state.withLock { $0.busySince = MonotonicClock.now }
        Self.commit(batch, on: connection, noting: state)
        state.withLock { $0.busySince = nil }
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
  public var statistics: Statistics { state.withLock { $0.statistics } }

  /// Since when it has been at the same batch, in nanoseconds of `MonotonicClock`; nil while it waits for work.
  public var busySince: UInt64? { state.withLock { $0.busySince } }

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
    queue.push(Job(work, completion: completion))
  }

  /// Sees whether a change would be written now: the writer takes the lock and lets go of it again, which costs no
  /// write. Only where the last change failed for the disk's or the file's sake, and no other probe has tried it within a
  /// second, the header is written anew as it is.
  ///
  /// - Parameter completion: called once on the writer's thread, with what stands in the way.
  /// - Returns: false, and it is never called, where the queue is full or closed.
  public func check(_ completion: @escaping @Sendable (SQLiteError?) -> Void) -> Bool {
    queue.push(Check(state, completion: completion))
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
    _ batch: [any Work], on connection: Connection, noting state: Condition<State>
  ) {
    guard batch.count > 1 else {
      for work in batch { commitAlone(work, on: connection, noting: state) }
      return
    }
    if commit(batch, isolated: false, on: connection, noting: state) { return }
    if commit(batch, isolated: true, on: connection, noting: state) { return }
    // Each piece alone may still do, and those that can't learn their own reason.
    for work in batch { commitAlone(work, on: connection, noting: state) }
  }

  /// Commits a batch in one transaction.
  ///
  /// - Parameter isolated: whether each piece has a savepoint. Without, SQLite has to copy no page before it is
  ///   changed, and where a piece gives up, which is rare, all of them have to be done again.
  /// - Returns: false where the whole transaction is gone and nobody has been told anything.
  private static func commit(
    _ batch: [any Work], isolated: Bool, on connection: Connection, noting state: Condition<State>
  ) -> Bool {
    do {
      let rows = connection.totalChangedRows
      try begin(on: connection)
      var changes = 0
      for work in batch {
        let hasChanged = try isolated ? runInSavepoint(work, on: connection) : work.run(on: connection)
        if hasChanged {
          if work.isChange { changes += 1 }
        } else if !isolated {
          connection.rollBack()
          return false
        }
      }
      let time = try finishTransaction(on: connection)
      let size = batch.count { $0.isChange }
      state.withLock {
        if size > 0 { $0.count(size, changes: changes, time: time) }
        if connection.totalChangedRows != rows { $0.failure = nil }
      }
      finish(batch, noting: state)
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

  /// - Returns: how long it took, in nanoseconds.
  private static func finishTransaction(on connection: Connection) throws(SQLiteError) -> UInt64 {
    let start = MonotonicClock.now
    try connection.run("COMMIT")
    return MonotonicClock.now - start
  }

  private static func runInSavepoint(_ work: any Work, on connection: Connection) throws(SQLiteError) -> Bool
  {
    try connection.run("SAVEPOINT work")
    let hasChanged = work.run(on: connection)
    // Where the error ended the transaction itself there is no savepoint left, and this throws.
    if !hasChanged { try connection.run("ROLLBACK TO work") }
    try connection.run("RELEASE work")
    return hasChanged
  }

  private static func commitAlone(
    _ work: any Work, on connection: Connection, noting state: Condition<State>
  ) {
    do {
      let rows = connection.totalChangedRows
      try begin(on: connection)
      if work.run(on: connection) {
        let time = try finishTransaction(on: connection)
        state.withLock {
          if work.isChange { $0.count(1, changes: 1, time: time) }
          if connection.totalChangedRows != rows { $0.failure = nil }
        }
      } else {
        connection.rollBack()
      }
      finish([work], noting: state)
    } catch {
      connection.rollBack()
      state.withLock { $0.note(error) }
      work.fail(error)
    }
  }

  /// Tells everybody their outcome.
  private static func finish(_ batch: [any Work], noting state: Condition<State>) {
    for work in batch {
      if let failure = work.failure { state.withLock { $0.note(failure) } }
      work.report()
    }
  }
}
