import Files
import SQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The files beside the database, in a table of a backup: the format of SQLite Archives, without compression, so that
/// `sqlite3 -A` unpacks them too.
enum FileArchive {
  static let definition =
    "CREATE TABLE sqlar (name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB)"
  /// Where in a data folder they are.
  static let folders = [images, tls]
  static let images = "images"
  static let tls = "tls"

  enum Outcome {
    case added, tooLong
    /// It isn't a file, or has gone meanwhile.
    case noFile
  }

  /// - Parameter name: of a file, below `folder`.
  static func add(
    _ name: String, from folder: String, longest: Int, to connection: Connection
  ) throws -> Outcome {
    let path = folder + "/" + name
    guard let found = status(of: path), found.isRegularFile else { return .noFile }
    guard found.st_size <= longest else { return .tooLong }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return .noFile }
      throw FileError(path)
    }
    defer { close(descriptor) }
    guard let bytes = contents(of: descriptor, limit: longest) else { throw FileError(path) }
    #if canImport(Darwin)
      let modified = found.st_mtimespec.tv_sec
    #else
      let modified = found.st_mtim.tv_sec
    #endif
    try connection.run(
      "INSERT INTO sqlar (name, mode, mtime, sz, data) VALUES (?1, ?2, ?3, ?4, ?5)", .text(name),
      .integer(Int64(found.st_mode)), .integer(Int64(modified)), .integer(Int64(bytes.count)), .blob(bytes))
    return .added
  }

  /// Whether a database is a backup, with an archive in it.
  static func isThere(on connection: Connection) throws(SQLiteError) -> Bool {
    try connection.row("SELECT 1 FROM sqlite_schema WHERE name = 'sqlar'", as: { _ in true }) == true
  }

  /// Unpacks the files into a folder, where there is nothing of them yet.
  ///
  /// - Returns: how many there were, by folder.
  /// - Throws: `Database.OpenError.damaged` where one isn't as it was put there, or wasn't by this program.
  static func unpack(from connection: Connection, into folder: String) throws -> [String: Int] {
    let kinds = try connection.rows("SELECT type FROM sqlite_schema WHERE name = 'sqlar'") { $0.text(0) }
    guard !kinds.isEmpty else { return [:] }
    guard kinds == ["table"] else { throw Database.OpenError.damaged("its sqlar is no table") }
    var counts: [String: Int] = [:]
    let listed = try connection.rows(
      "SELECT name, mode, mtime, typeof(name) = 'text' AND typeof(data) = 'blob' AND sz = length(data) FROM sqlar ORDER BY name"
    ) { row in
      (name: row.text(0), mode: row.integer(1), modified: row.integer(2), isWhole: row.integer(3) == 1)
    }
    for (name, mode, modified, isWhole) in listed {
      // Nothing of a table by somebody else leads out of the folder.
      let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, folders.contains(parts[0]), !parts[1].isEmpty, !parts[1].hasPrefix("."),
        !name.utf8.contains(0), mode_t(truncatingIfNeeded: mode) & S_IFMT == S_IFREG
      else { throw Database.OpenError.damaged("'\(name)' is no file that a backup holds") }
      let bytes =
        isWhole
        ? try connection.row("SELECT data FROM sqlar WHERE name = ?1", .text(name)) { $0.blob(0) } : nil
      guard let bytes else { throw Database.OpenError.damaged("\(name) is not whole") }
      let parent = folder + "/" + parts[0]
      guard mkdir(parent, 0o700) == 0 || errno == EEXIST else { throw FileError(parent) }
      try writeNewFile(folder + "/" + name, bytes, mode: mode_t(truncatingIfNeeded: mode & 0o777))
      // A photograph's address changes with its date.
      var times = [
        timeval(tv_sec: time_t(modified), tv_usec: 0), timeval(tv_sec: time_t(modified), tv_usec: 0),
      ]
      utimes(folder + "/" + name, &times)
      counts[parts[0], default: 0] += 1
    }
    for parent in counts.keys { try syncToDisk(folder + "/" + parent) }
    return counts
  }

  /// Takes the table, where there is one, out of a database that is to be used again.
  static func remove(from connection: Connection) throws(SQLiteError) {
    try connection.execute("DROP TABLE IF EXISTS sqlar; VACUUM")
  }
}
