import Threads

/// The one thread that changes the database.
///
/// Everything that waits when a transaction ends goes into the next one. Where a piece of work can't be
/// done, all of them are done anew with a savepoint for each, so that its failure doesn't undo its
/// neighbour's; what the work reports is passed on only after the commit. Grouping costs nothing in safety: with
/// `synchronous=FULL` a commit that returned is on the disk.
public final class Writer: Sendable {
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

  private let queue: BoundedQueue<any Work>
  private let thread: Thread
  private let counted: Condition<Statistics>

  /// Starts the writer.
  ///
  /// - Parameters:
  ///   - connection: a connection that may write; the writer's alone from now on.
  ///   - queueLimit: how many pieces of work may wait.
  public init(connection: sending Connection, queueLimit: Int) throws(Thread.Exhausted) {
    let queue = BoundedQueue<any Work>(limit: queueLimit)
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
    queue.push(Job(work, completion: completion))
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
    _ batch: [any Work], on connection: Connection, counting counted: Condition<Statistics>
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
    _ batch: [any Work], isolated: Bool, on connection: Connection, counting counted: Condition<Statistics>
  ) -> Bool {
    do {
      try begin(on: connection)
      var changes = 0
      for work in batch {
        let hasChanged = try isolated ? runInSavepoint(work, on: connection) : work.run(on: connection)
        if hasChanged {
          changes += 1
        } else if !isolated {
          connection.rollBack()
          return false
        }
      }
      try connection.run("COMMIT")
      count(batch.count, changes: changes, in: counted)
      for work in batch { work.report() }
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
    _ work: any Work, on connection: Connection, counting counted: Condition<Statistics>
  ) {
    do {
      try begin(on: connection)
      if work.run(on: connection) {
        try connection.run("COMMIT")
        count(1, changes: 1, in: counted)
      } else {
        connection.rollBack()
      }
      work.report()
    } catch {
      connection.rollBack()
      work.fail(error)
    }
  }

  private static func count(_ batch: Int, changes: Int, in counted: Condition<Statistics>) {
    counted.withLock { statistics in
      statistics.commits += 1
      statistics.works += changes
      statistics.largestBatch = max(statistics.largestBatch, batch)
    }
  }
}

/// Work for the writer: run once or, after a neighbour's failure or a failed commit, again.
private protocol Work: AnyObject, Sendable {
  /// Makes the changes.
  ///
  /// - Returns: false where it gave up, and whatever it changed has to be rolled back.
  func run(on connection: Connection) -> Bool
  /// Tells the outcome of the last run, once it is committed or rolled back.
  func report()
  /// Tells that the transaction around the work failed.
  func fail(_ error: SQLiteError)
}

/// One object for each piece of work, since there are as many as requests that change something.
private final class Job<Result>: Work, @unchecked Sendable {
  // Safe to send: from the queue on only the writer's thread touches it.
  private let work: @Sendable (Connection) throws -> Result
  private let completion: @Sendable (Swift.Result<Result, any Error>) -> Void
  private var outcome: Swift.Result<Result, any Error>?

  init(
    _ work: @escaping @Sendable (Connection) throws -> Result,
    completion: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
  ) {
    self.work = work
    self.completion = completion
  }

  func run(on connection: Connection) -> Bool {
    do {
      outcome = .success(try work(connection))
      return true
    } catch {
      outcome = .failure(error)
      return false
    }
  }

  func report() {
    if let outcome { completion(outcome) }
  }

  func fail(_ error: SQLiteError) { completion(.failure(error)) }
}
