import CSQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Connection {
  /// Writes a copy of the database as it is at this moment, in as few pages as it needs: `VACUUM INTO`
  /// (https://sqlite.org/lang_vacuum.html). Others read and write meanwhile; only what the log holds can't be
  /// taken into the database file until it is done. The copy isn't synced.
  ///
  /// - Parameter path: of an empty file, or none.
  public func copy(to path: String) throws(SQLiteError) {
    try run("VACUUM INTO ?1", .text(path))
  }

  /// What SQLite finds wrong with the whole database: pages, indexes, and rows that refer to none. Nothing where it
  /// is sound.
  public func defects() throws(SQLiteError) -> [String] {
    let complaints = try rows("PRAGMA integrity_check") { $0.text(0) }
    let orphans = try rows("PRAGMA foreign_key_check") { "a row of \($0.text(0)) refers to none" }
    return complaints.filter { $0 != "ok" } + orphans.prefix(10)
  }

  /// Has what runs on this connection end with `SQLiteError.interrupted` once `isOver` says so.
  ///
  /// - Parameter isOver: asked often, on the connection's thread.
  public func giveUp(when isOver: @escaping () -> Bool) {
    let box = Unmanaged.passRetained(Interruption(isOver))
    interruption = box.takeRetainedValue()
    sqlite3_progress_handler(handle, 10_000, interruptionAsked, box.toOpaque())
  }
}

/// Who says that a connection's work is over.
final class Interruption {
  let isOver: () -> Bool
  init(_ isOver: @escaping () -> Bool) { self.isOver = isOver }
}

private func interruptionAsked(_ context: UnsafeMutableRawPointer?) -> Int32 {
  guard let context else { return 0 }
  return Unmanaged<Interruption>.fromOpaque(context).takeUnretainedValue().isOver() ? 1 : 0
}

extension Database {
  /// Whether a file is a database of this program, by its header alone; false where it can't be read.
  public static func isOurs(_ path: String, schema: Schema) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return isOurs(descriptor, schema: schema)
  }

  /// The same of a file that is open.
  public static func isOurs(_ descriptor: Int32, schema: Schema) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 100)
    guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { return false }
    let identifier = bytes[68..<72].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return bytes.starts(with: Array("SQLite format 3\0".utf8))
      && Int32(bitPattern: identifier) == schema.applicationID
  }
}
