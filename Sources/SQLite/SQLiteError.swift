import CSQLite

/// What SQLite refused, by what can be done about it.
public enum SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A value that has to be unique is there already (SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY).
  case notUnique(String)
  /// A row refers to one that doesn't exist (SQLITE_CONSTRAINT_FOREIGNKEY).
  case noSuchReference(String)
  /// The disk is full (SQLITE_FULL).
  case diskFull
  /// The file, or one beside it, can't be read or written (SQLITE_IOERR, _READONLY, _CANTOPEN, _PERM).
  case inputOutput(code: Int32, String)
  /// Another process holds the database longer than the busy timeout (SQLITE_BUSY, _LOCKED).
  case busy
  /// The file has been moved or deleted under the connection (SQLITE_FCNTL_HAS_MOVED): what is written
  /// to it is lost.
  case moved
  /// The file is not a database, or a damaged one (SQLITE_NOTADB, _CORRUPT).
  case notADatabase(String)
  /// It was given up (SQLITE_INTERRUPT).
  case interrupted
  /// Anything else: a mistake in the program's SQL.
  case other(code: Int32, String)

  /// The error for an extended result code (https://sqlite.org/rescode.html) of a connection.
  init(code: Int32, connection: OpaquePointer?) {
    let message = connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? ""
    switch code {
    // sqlite3.h builds the extended codes with a macro: primary | n << 8.
    case SQLITE_CONSTRAINT | 8 << 8, SQLITE_CONSTRAINT | 6 << 8: self = .notUnique(message)
    case SQLITE_CONSTRAINT | 3 << 8: self = .noSuchReference(message)
    default:
      switch code & 0xFF {
      case SQLITE_FULL: self = .diskFull
      case SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM:
        self = .inputOutput(code: code, message)
      case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
      case SQLITE_INTERRUPT: self = .interrupted
      case SQLITE_NOTADB, SQLITE_CORRUPT: self = .notADatabase(message)
      default: self = .other(code: code, message)
      }
    }
  }

  /// What the server's owner is told.
  public var description: String {
    switch self {
    case .notUnique(let message), .noSuchReference(let message), .notADatabase(let message): message
    case .diskFull: "the disk is full"
    case .busy: "the database is locked by another process"
    case .interrupted: "it was given up"
    case .moved: "the database file was moved or deleted while the server runs: restart it"
    case .inputOutput(let code, let message), .other(let code, let message): "\(message) (SQLite \(code))"
    }
  }
}
