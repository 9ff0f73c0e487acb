import Threads

/// Work for the writer: run once or, after a neighbour's failure or a failed commit, again.
protocol Work: AnyObject, Sendable {
  /// Makes the changes.
  ///
  /// - Returns: false where it gave up, and whatever it changed has to be rolled back.
  func run(on connection: Connection) -> Bool
  /// Whether it is there to change something.
  var isChange: Bool { get }
  /// What SQLite refused in the last run.
  var failure: SQLiteError? { get }
  /// Tells the outcome of the last run, once it is committed or rolled back.
  func report()
  /// Tells that the transaction around the work failed.
  func fail(_ error: SQLiteError)
}

/// One object for each piece of work, since there are as many as requests that change something.
final class Job<Result>: Work, @unchecked Sendable {
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

  var isChange: Bool { true }

  var failure: SQLiteError? {
    guard case .failure(let error) = outcome else { return nil }
    return error as? SQLiteError
  }

  func report() {
    if let outcome { completion(outcome) }
  }

  func fail(_ error: SQLiteError) { completion(.failure(error)) }
}

/// Whether a change would be written.
final class Check: Work, @unchecked Sendable {
  // Safe to send: from the queue on only the writer's thread touches it.
  private let state: Condition<Writer.State>
  private let completion: @Sendable (SQLiteError?) -> Void
  private var hasWritten = false
  /// What it failed for.
  private(set) var failure: SQLiteError?
  /// What the last change failed for, a moment ago.
  private var lastFailure: SQLiteError?

  init(_ state: Condition<Writer.State>, completion: @escaping @Sendable (SQLiteError?) -> Void) {
    self.state = state
    self.completion = completion
  }

  var isChange: Bool { false }

  func run(on connection: Connection) -> Bool {
    (hasWritten, failure, lastFailure) = (false, nil, nil)
    switch state.withLock({ $0.nextCheck(at: MonotonicClock.now) }) {
    case .lockAlone: break
    case .known(let error): lastFailure = error
    case .write:
      do throws(SQLiteError) {
        try connection.rewriteHeader()
        hasWritten = true
      } catch {
        failure = error
      }
    }
    return failure == nil
  }

  func report() {
    if hasWritten { state.withLock { $0.failure = nil } }
    completion(failure ?? lastFailure)
  }

  func fail(_ error: SQLiteError) { completion(error) }
}
