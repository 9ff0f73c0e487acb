import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A read-only connection for each thread that asks, opened at its first use: reads need no lock
/// and no queue.
public final class Readers: @unchecked Sendable {
  // Safe to share: each thread sees only its own connection, through a thread-specific key, and
  // `opened` is locked.
  private let database: Database
  private var key = pthread_key_t()
  private let opened = Condition<[Connection]>([])

  public init(_ database: Database) {
    self.database = database
    pthread_key_create(&key, nil)
  }

  deinit {
    pthread_key_delete(key)
  }

  /// The calling thread's connection.
  ///
  /// - Throws: `SQLiteError` where it can't be opened.
  public func connection() throws(SQLiteError) -> Connection {
    if let known = pthread_getspecific(key) {
      return Unmanaged<Connection>.fromOpaque(known).takeUnretainedValue()
    }
    let connection = try database.reader()
    keep(connection)
    pthread_setspecific(key, Unmanaged.passUnretained(connection).toOpaque())
    return connection
  }

  /// Closes the connections, once no thread reads any more.
  public func close() {
    opened.withLock { $0 = [] }
  }

  private func keep(_ connection: Connection) {
    // `opened` only keeps the connections alive until the readers themselves go.
    nonisolated(unsafe) let kept = connection
    opened.withLock { $0.append(kept) }
  }
}
