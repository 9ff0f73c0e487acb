import CSQLite

/// A value bound to a parameter of a statement.
public enum Value: Sendable {
  case null
  case integer(Int64)
  /// Any text, NUL included.
  case text(String)
  /// UTF-8 that is text already.
  case utf8([UInt8])
  case blob([UInt8])

  /// An integer, or NULL for nil.
  public static func integer(_ value: Int64?) -> Value {
    if let value { .integer(value) } else { .null }
  }
}

/// A prepared statement of one connection, used again and again (https://sqlite.org/c3ref/stmt.html).
public final class Statement {
  fileprivate let handle: OpaquePointer
  private let connection: OpaquePointer

  convenience init(_ sql: StaticString, on connection: OpaquePointer) throws(SQLiteError) {
    try self.init(on: connection) { prepared in
      sql.withUTF8Buffer { text in
        text.withMemoryRebound(to: CChar.self) {
          sqlite3_prepare_v3(
            connection, $0.baseAddress, Int32($0.count), UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        }
      }
    }
  }

  convenience init(once sql: String, on connection: OpaquePointer) throws(SQLiteError) {
    try self.init(on: connection) { sqlite3_prepare_v2(connection, sql, -1, &$0, nil) }
  }

  private init(
    on connection: OpaquePointer, prepare: (inout OpaquePointer?) -> Int32
  ) throws(SQLiteError) {
    self.connection = connection
    var prepared: OpaquePointer?
    let code = prepare(&prepared)
    guard code == SQLITE_OK, let prepared else { throw SQLiteError(code: code, connection: connection) }
    handle = prepared
  }

  func finalize() {
    sqlite3_finalize(handle)
  }

  /// Binds the values to the parameters 1, 2, 3, …
  func bind(_ values: [Value]) throws(SQLiteError) {
    for (index, value) in values.enumerated() {
      let position = Int32(index + 1)
      let code =
        switch value {
        case .null: sqlite3_bind_null(handle, position)
        case .integer(let value): sqlite3_bind_int64(handle, position, value)
        case .text(var value): value.withUTF8 { bind(text: UnsafeRawBufferPointer($0), at: position) }
        case .utf8(let value): value.withUnsafeBytes { bind(text: $0, at: position) }
        case .blob(let value):
          value.withUnsafeBytes {
            value.isEmpty
              ? sqlite3_bind_zeroblob(handle, position, 0)
              : sqlite3_bind_blob64(handle, position, $0.baseAddress, UInt64($0.count), sqlite_transient())
          }
        }
      guard code == SQLITE_OK else { throw SQLiteError(code: code, connection: connection) }
    }
  }

  private func bind(text: UnsafeRawBufferPointer, at position: Int32) -> Int32 {
    // An empty text may have no address, and no address would bind NULL.
    guard let start = text.bindMemory(to: CChar.self).baseAddress else {
      return sqlite3_bind_text64(handle, position, "", 0, sqlite_transient(), UInt8(SQLITE_UTF8))
    }
    return sqlite3_bind_text64(
      handle, position, start, UInt64(text.count), sqlite_transient(), UInt8(SQLITE_UTF8))
  }

  /// Moves to the next row; false when there is none.
  func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw SQLiteError(code: code, connection: connection)
    }
  }

  /// Makes the statement ready for its next use and ends what it held open.
  func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }
}

/// The row that a statement stands on. What it gives as bytes is SQLite's own memory and valid
/// until the closure that got the row returns.
public struct Row: ~Copyable {
  private let handle: OpaquePointer

  init(_ statement: Statement) {
    handle = statement.handle
  }

  /// The column's integer; 0 where it is NULL.
  public func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  /// Whether the column is NULL.
  public func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  /// The column's text as UTF-8; empty where it is NULL.
  public func utf8(_ column: Int32) -> UnsafeRawBufferPointer {
    // The text first, then its length: the order that sqlite3_column_bytes asks for.
    let start = sqlite3_column_text(handle, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// The column's text; empty where it is NULL.
  public func text(_ column: Int32) -> String {
    String(decoding: utf8(column), as: UTF8.self)
  }

  /// The column's bytes; empty where it is NULL.
  public func blob(_ column: Int32) -> [UInt8] {
    let start = sqlite3_column_blob(handle, column)
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }
}
