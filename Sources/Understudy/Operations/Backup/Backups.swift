import Files
import HTTP
import SQLite

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
    var path: String
    let bytes: Int
    let rows: StoredRowCounts
    /// How many photographs.
    let images: Int
    /// How many files of certificates and keys.
    let certificates: Int
    /// Files that are too long for it.
    let leftOut: [String]
    /// The names of the dated ones that were removed for it.
    var removed: [String] = []
    /// How many files with dated names were left alone, being no backups of this data folder.
    var strange = 0
  }

  /// Longer files beside the database aren't taken along.
  private static let longestFile = 64 << 20

  private let folder: DataFolder
  private let database: Database
  private let identity: FolderIdentity

  init(folder: DataFolder, database: Database) {
    self.folder = folder
    self.database = database
    identity = FolderIdentity(in: folder.path)
  }

  /// Makes a backup: written beside its place, checked, on the disk, and then moved there in one step. Whatever goes
  /// wrong, what was there before is there still; and however many processes write to one place, each one's is whole.
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
    makeOwnFolder(at: place)
    let isFolder = status(of: place)?.isFolder ?? false
    guard isFolder || !place.hasSuffix("/") else {
      throw Problem.unprocessable("There is no folder \(place).")
    }
    guard isFolder || keep == nil else {
      throw Problem.unprocessable(
        "\(place) is not a folder: only in one there are dated backups of which some can be kept.")
    }
    let given = try isFolder ? place : Self.target(place)
    let parent = isFolder ? given : Files.folder(of: given)
    guard let parent = resolved(parent) else {
      throw Problem.unprocessable("There is no folder \(parent) (\(String(cString: strerror(errno)))).")
    }
    let path = parent + "/" + (isFolder ? DatedName(time: time(nil)).description : Self.lastPart(of: given))
    try requireAllowed(path, in: parent, mayBeThere: isFolder)
    do {
      let start = time(nil)
      let workplace = try BackupWorkplace(in: parent)
      return try withExtendedLifetime(workplace) {
        var summary = try write(workplace.file, for: path, takesImages: takesImages, isOver: isOver)
        if isFolder {
          let name = try workplace.takeName(start, in: parent)
          summary.path = parent + "/" + name.description
          try syncToDisk(parent)
          if let keep { prune(parent, sparing: name, keep: keep, noting: &summary) }
        } else {
          // By now something else can be there.
          try requireAllowed(path, in: parent)
          try workplace.replace(path)
          try syncToDisk(parent)
        }
        return summary
      }
    } catch {
      throw Self.explained(error, place: place)
    }
  }

  // MARK: Its place

  /// What a path leads to: a backup takes the place of the file, and not of a link to it.
  private static func target(_ place: String) throws(Problem) -> String {
    guard status(of: place, followsLink: false)?.isLink == true else { return place }
    guard let target = resolved(place) else {
      throw .unprocessable("\(place) is a link that leads nowhere.")
    }
    return target
  }

  /// Makes the data folder's own folder for backups, which --backup-every makes too, where that is the place.
  private func makeOwnFolder(at place: String) {
    let path = place.hasSuffix("/") ? String(place.dropLast()) : place
    guard Self.lastPart(of: path) == DataFolder.backupsName, let own = resolved(folder.path),
      resolved(Files.folder(of: path)) == own
    else { return }
    mkdir(path, 0o700)
  }

  private static func lastPart(of path: String) -> String {
    String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
  }

  /// - Parameter mayBeThere: whether it doesn't matter what is in that place.
  /// - Throws: `Problem` where something is in that place that isn't a backup.
  private func requireAllowed(_ path: String, in parent: String, mayBeThere: Bool = false) throws(Problem) {
    let name = Self.lastPart(of: path)
    guard !name.isEmpty, name != ".", name != ".." else {
      throw .unprocessable("\(path) is no name for a file.")
    }
    // What lies among the pictures is served to everybody, by whatever path it came there.
    for own in [folder.path] + FileArchive.folders.map({ folder.path + "/" + $0 }) {
      guard let own = resolved(own) else { continue }
      guard parent != own, !parent.hasPrefix(own + "/") || parent == own + "/" + DataFolder.backupsName else {
        throw .unprocessable(
          "\(path) is among the data themselves: a backup belongs somewhere else, best on another disk.")
      }
    }
    // Another data folder's, or one that restoring has kept aside.
    guard name != DataFolder.databaseName else {
      throw .unprocessable("\(path) has the name of a data folder's own database: choose another one.")
    }
    guard !mayBeThere, let there = status(of: path, followsLink: false) else { return }
    guard there.isRegularFile, there.st_size == 0 || Database.isOurs(path, schema: Storage.schema) else {
      throw Problem(
        .conflict, "\(path) is there already and is no backup: move it away, or choose another name.")
    }
  }

  /// The dated backups of this data folder that are in a folder, the oldest first, and how many files there have such
  /// a name and are none: somebody else's, which are left alone.
  func dated(in folder: String) -> (own: [DatedName], strange: Int) {
    let dated = ((try? names(in: folder)) ?? []).compactMap { DatedName($0) }.sorted()
    guard let identity = identity.value else { return ([], dated.count) }
    let own = dated.filter { (try? BackupSeal(of: folder + "/" + $0.description))?.folder == identity }
    return (own, dated.count - own.count)
  }

  /// When the newest of them was made, in seconds since 1970; nil where there is none.
  func newest(in folder: String) -> Int? { dated(in: folder).own.last?.time }

  /// Removes the oldest dated backups.
  private func prune(_ parent: String, sparing new: DatedName, keep: Int, noting summary: inout Summary) {
    let (own, strange) = dated(in: parent)
    let excess = own.filter { $0 != new }.dropLast(max(0, keep - 1)).map(\.description)
    summary.removed = excess.filter { unlink(parent + "/" + $0) == 0 }
    summary.strange = strange
  }

  // MARK: What is in it

  private func write(
    _ partial: String, for path: String, takesImages: Bool, isOver: @escaping @Sendable () -> Bool
  ) throws -> Summary {
    // Nobody else ever reads it.
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
    let folder = identity.value ?? FolderIdentity.unknown
    guard try BackupSeal.add(to: partial, folder: folder, isOver: isOver) else {
      throw SQLiteError.interrupted
    }
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
