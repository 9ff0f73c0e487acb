import CSQLite

/// One connection to a database, with the statements it has prepared. It belongs to one thread at
/// a time and is opened without SQLite's own mutexes (https://sqlite.org/threadsafe.html,
/// "multi-thread").
public final class Connection {
  /// What a connection may do.
  public enum Access: Sendable {
    case readOnly
    /// As `readOnly`, a file that nobody changes meanwhile: nothing is made or locked beside it.
    case immutable
    case readWrite
  }

  let handle: OpaquePointer
  /// Kept for as long as SQLite may ask it.
  var interruption: Interruption?
  private var statements: [UnsafePointer<UInt8>: Statement] = [:]

  /// Opens the database at `path`, which must exist.
  ///
  /// - Throws: `SQLiteError`.
  public init(path: String, access: Access) throws(SQLiteError) {
    Self.configure
    var opened: OpaquePointer?
    let flags =
      switch access {
      case .readOnly: SQLITE_OPEN_READONLY
      case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      case .readWrite: SQLITE_OPEN_READWRITE
      }
    let name = access == .immutable ? Self.immutableURI(path) : path
    let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let opened else {
      let error = SQLiteError(code: code, connection: opened)
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    sqlite3_busy_timeout(handle, 5_000)
  }

  deinit {
    for statement in statements.values { statement.finalize() }
    sqlite3_close_v2(handle)
  }

  /// https://sqlite.org/uri.html
  private static func immutableURI(_ path: String) -> String {
    let hidden = path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    return "file:\(hidden)?immutable=1"
  }

  private static let configure: Void = {
    _ = sqlite_disable_memory_statistics()
  }()

  /// SQLite's version, as `3.40.1`.
  public static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  /// Runs statements that give no rows, separated by `;`.
  public func execute(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, connection: handle) }
  }

  /// The statement for this SQL, prepared at its first use and kept.
  public func statement(_ sql: StaticString) throws(SQLiteError) -> Statement {
    if let known = statements[sql.utf8Start] { return known }
    let prepared = try Statement(sql, on: handle)
    statements[sql.utf8Start] = prepared
    return prepared
  }

  /// Runs a statement that gives no rows.
  public func run(_ sql: StaticString, _ values: Value...) throws(SQLiteError) {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    _ = try statement.step()
  }

  /// Runs a statement and decodes its rows.
  public func rows<Result>(
    _ sql: StaticString, _ values: Value..., as decode: (borrowing Row) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> [Result] {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    var results: [Result] = []
    while try statement.step() { results.append(try decode(Row(statement))) }
    return results
  }

  /// Runs a statement and decodes its first row; nil where there is none.
  public func row<Result>(
    _ sql: StaticString, _ values: Value..., as decode: (borrowing Row) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result? {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    guard try statement.step() else { return nil }
    return try decode(Row(statement))
  }

  /// Runs a statement and hands each row to `body` until it returns false: for rows that are
  /// encoded on their way, without a value of their own.
  public func each(
    _ sql: StaticString, _ values: Value..., do body: (borrowing Row) -> Bool
  ) throws(SQLiteError) {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() {
      guard body(Row(statement)) else { return }
    }
  }

  /// The id of the row that the last INSERT of this connection made.
  public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// How many rows the last INSERT, UPDATE or DELETE changed.
  public var changedRows: Int { Int(sqlite3_changes(handle)) }

  /// How many rows all of them have changed since it was opened.
  var totalChangedRows: Int { Int(sqlite3_total_changes(handle)) }

  /// Whether a transaction is open. SQLite ends one by itself after some errors, a full disk among
  /// them (https://sqlite.org/lang_transaction.html, "Response To Errors Within A Transaction").
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// An integer that a pragma or another statement of one value gives.
  public func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try Statement(once: sql, on: handle)
    defer { statement.finalize() }
    return try statement.step() ? Row(statement).integer(0) : nil
  }

  /// Runs `body` in a transaction that takes the write lock at once: a deferred one would fail
  /// with SQLITE_BUSY_SNAPSHOT when it turns from reading to writing.
  public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try run("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// - Throws: `SQLiteError.moved` where the file is no longer where it was opened.
  func requireFileInPlace() throws(SQLiteError) {
    var hasMoved: Int32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    if code == SQLITE_OK, hasMoved != 0 { throw .moved }
  }

  /// Writes the first page as it is, in the open transaction.
  func rewriteHeader() throws(SQLiteError) {
    let version = try integer("PRAGMA user_version") ?? 0
    try execute("PRAGMA user_version = \(version)")
  }

  /// Ends the open transaction, if there still is one, without its changes.
  func rollBack() {
    if isInTransaction { try? run("ROLLBACK") }
  }
}
