import Files
import HTTP
import SQLite
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Copies of all that a data folder keeps, made while it is in use.
///
/// A backup is a database of this program's, and a SQLite Archive at the same time (https://sqlite.org/sqlar.html):
/// its table `sqlar` holds the files beside the database, the photographs in `images` and the certificates in `tls`.
final class Backups: Sendable {
  /// What a backup holds.
  struct Summary: Sendable {
    let path: String
    let bytes: Int
    let rows: StoredRowCounts
    /// How many photographs.
    let images: Int
    /// How many files of certificates and keys.
    let certificates: Int
    /// Files that are too long for it.
    let leftOut: [String]
    /// The dated ones that were removed for it.
    var removed: [String] = []
  }

  /// Longer files beside the database aren't taken along.
  private static let longestFile = 64 << 20

  private let folder: DataFolder
  private let database: Database
  private let inProgress = Condition<Set<String>>([])

  init(folder: DataFolder, database: Database) {
    self.folder = folder
    self.database = database
  }

  /// Makes a backup: written beside its place under another name, checked, on the disk, and then moved there in one
  /// step. Whatever goes wrong, what was there before is there still.
  ///
  /// - Parameters:
  ///   - place: the absolute path of a file, or of a folder in which it gets a dated name.
  ///   - takesImages: whether the photographs are in it too.
  ///   - keep: how many dated ones may be in the folder then, the new one among them; nil for all.
  ///   - isOver: asked often whether to give up.
  /// - Throws: `Problem`, `SQLiteError`.
  func make(
    at place: String, takesImages: Bool = true, keep: Int? = nil, isOver: @escaping @Sendable () -> Bool
  ) throws -> Summary {
    let isFolder = status(of: place)?.isFolder ?? false
    guard isFolder || !place.hasSuffix("/") else {
      throw Problem.unprocessable("There is no folder \(place).")
    }
    guard isFolder || keep == nil else {
      throw Problem.unprocessable(
        "\(place) is not a folder: only in one there are dated backups of which some can be kept.")
    }
    return try reserving(place, isFolder: isFolder) { parent, name in
      let partial = "\(parent)/.\(name).partial"
      if isFolder { removeLeftovers(in: parent) }
      Self.discard(partial)
      do {
        var summary = try write(partial, for: parent + "/" + name, takesImages: takesImages, isOver: isOver)
        guard rename(partial, summary.path) == 0 else { throw FileError(summary.path) }
        try syncToDisk(parent)
        if let keep { summary.removed = Self.prune(parent, sparing: name, keep: keep) }
        return summary
      } catch {
        Self.discard(partial)
        throw Self.explained(error, place: place)
      }
    }
  }

  // MARK: Its place

  /// Calls `body` with the folder and the name of a file that no other backup is being written to.
  private func reserving<Result>(
    _ place: String, isFolder: Bool, _ body: (_ parent: String, _ name: String) throws -> Result
  ) throws -> Result {
    let given = isFolder ? place : Files.folder(of: place)
    guard let parent = resolved(given) else {
      throw Problem.unprocessable("There is no folder \(given) (\(String(cString: strerror(errno)))).")
    }
    let name = try inProgress.withLock { inProgress -> String in
      let name =
        isFolder
        ? Self.freeName(in: parent, besides: inProgress)
        : String(place[(place.lastIndex(of: "/").map { place.index(after: $0) } ?? place.startIndex)...])
      try requireAllowed(name, in: parent)
      guard inProgress.insert(parent + "/" + name).inserted else {
        throw Problem(.conflict, "A backup is being written to \(place) already.")
      }
      return name
    }
    defer { inProgress.withLock { inProgress in _ = inProgress.remove(parent + "/" + name) } }
    return try body(parent, name)
  }

  private static func freeName(in parent: String, besides taken: Set<String>) -> String {
    var name = DatedName(time: time(nil))
    while status(of: parent + "/" + name.description) != nil
      || taken.contains(parent + "/" + name.description)
    {
      name = DatedName(time: name.time, number: name.number + 1)
    }
    return name.description
  }

  /// - Throws: `Problem` where something is in that place that isn't a backup.
  private func requireAllowed(_ name: String, in parent: String) throws(Problem) {
    let path = parent + "/" + name
    guard !name.isEmpty, name != ".", name != ".." else {
      throw .unprocessable("\(path) is no name for a file.")
    }
    if let own = resolved(folder.path) {
      // What lies among the pictures is served to everybody.
      guard parent != own, !parent.hasPrefix(own + "/") || parent == own + "/backups" else {
        throw .unprocessable(
          "\(path) is among the data themselves: a backup belongs somewhere else, best on another disk.")
      }
    }
    // Another data folder's, or one that restoring has kept aside.
    guard name != DataFolder.databaseName else {
      throw .unprocessable("\(path) has the name of a data folder's own database: choose another one.")
    }
    guard let there = status(of: path) else { return }
    guard there.isRegularFile, there.st_size == 0 || Database.isOurs(path, schema: Storage.schema) else {
      throw Problem(
        .conflict, "\(path) is there already and is no backup: move it away, or choose another name.")
    }
  }

  /// Removes what killed processes have left of backups with dated names.
  private func removeLeftovers(in parent: String) {
    inProgress.withLock { inProgress in
      for name in (try? names(in: parent)) ?? [] where name.hasPrefix(".") {
        for end in Self.ends where name.hasSuffix(".partial" + end) {
          let target = String(name.dropFirst().dropLast(".partial".count + end.count))
          if DatedName(target) != nil, !inProgress.contains(parent + "/" + target) {
            unlink(parent + "/" + name)
          }
        }
      }
    }
  }

  /// Of a database and what SQLite puts beside it.
  private static let ends = ["", "-journal", "-wal", "-shm"]

  private static func discard(_ partial: String) {
    for end in ends { unlink(partial + end) }
  }

  /// Removes the oldest dated backups.
  private static func prune(_ parent: String, sparing name: String, keep: Int) -> [String] {
    let dated = ((try? names(in: parent)) ?? []).filter { $0 != name }.compactMap { DatedName($0) }.sorted()
    let excess = dated.dropLast(max(0, keep - 1)).map(\.description)
    return excess.filter { unlink(parent + "/" + $0) == 0 }
  }

  // MARK: What is in it

  private func write(
    _ partial: String, for path: String, takesImages: Bool, isOver: @escaping @Sendable () -> Bool
  ) throws -> Summary {
    // Nobody else reads it while it grows, either.
    try writeNewFile(partial, [])
    let source = try database.reader()
    source.giveUp(when: isOver)
    try source.copy(to: partial)
    let (rows, files) = try { () throws in
      let copy = try Connection(path: partial, access: .readWrite)
      copy.giveUp(when: isOver)
      try copy.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE")
      let files = try archive(takesImages ? FileArchive.folders : [FileArchive.tls], on: copy)
      let defects = try copy.defects()
      guard defects.isEmpty else {
        throw Problem(
          .internalServerError,
          "The database is damaged (\(defects.prefix(3).joined(separator: "; "))): no backup was made. Restore the last good one."
        )
      }
      return (try StoredRowCounts(on: copy), files)
    }()
    try syncToDisk(partial)
    return Summary(
      path: path, bytes: Int(status(of: partial)?.st_size ?? 0), rows: rows, images: files.images,
      certificates: files.certificates, leftOut: files.leftOut)
  }

  private func archive(
    _ parts: [String], on copy: Connection
  ) throws -> (images: Int, certificates: Int, leftOut: [String]) {
    try copy.execute("DROP TABLE IF EXISTS sqlar; \(FileArchive.definition)")
    var counts: [String: Int] = [:]
    var leftOut: [String] = []
    for part in parts where status(of: folder.path + "/" + part) != nil {
      for name in try names(in: folder.path + "/" + part) where !name.hasPrefix(".") {
        let file = part + "/" + name
        let outcome = try FileArchive.add(file, from: folder.path, longest: Self.longestFile, to: copy)
        if outcome == .added { counts[part, default: 0] += 1 }
        if outcome == .tooLong { leftOut.append(file) }
      }
    }
    return (counts[FileArchive.images] ?? 0, counts[FileArchive.tls] ?? 0, leftOut)
  }

  private static func explained(_ error: any Error, place: String) -> any Error {
    switch error {
    case SQLiteError.diskFull:
      Problem(.insufficientStorage, "The disk of \(place) is full: no backup was made.")
    case let error as FileError where error.number == ENOSPC || error.number == EDQUOT:
      Problem(.insufficientStorage, "The disk of \(place) is full: no backup was made.")
    case let error as FileError:
      Problem(
        .unprocessableContent,
        "No backup was made: \(error). It is written by \(userName()), who has the data folder.")
    case SQLiteError.interrupted: Problem.shuttingDown
    case is Problem: error
    case let error as SQLiteError:
      Problem(.internalServerError, "No backup was made: \(error).")
    default: error
    }
  }

  private static func userName() -> String {
    Files.userName(geteuid()).map { "the user " + $0 } ?? "user \(geteuid())"
  }
}

/// How much a database holds of what people have put into it.
struct StoredRowCounts: Sendable {
  let users: Int64
  let observations: Int64
  let directories: Int64
  let people: Int64

  init(on connection: Connection) throws(SQLiteError) {
    users = try connection.integer("SELECT count(*) FROM user") ?? 0
    observations = try connection.integer("SELECT count(*) FROM observation") ?? 0
    directories = try connection.integer("SELECT count(*) FROM directory_user") ?? 0
    people = try connection.integer("SELECT count(*) FROM person") ?? 0
  }
}
