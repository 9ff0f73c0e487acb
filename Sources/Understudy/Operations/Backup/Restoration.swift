import Files
import SQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Putting a backup in the place of what a data folder holds.
///
/// All of it is made ready and checked in a folder inside the data folder. Renaming that folder is the one step that
/// decides: before it the old data are there, and nothing of them has been touched; after it the data are the new
/// ones, since whoever opens the folder next first finishes what is begun (`PendingRestore`).
public enum Restoration {
  /// Why nothing was restored, in a line that says what to do. The folder is as it was.
  public struct Failure: Error, CustomStringConvertible {
    /// The line.
    public let description: String
  }

  /// What a backup holds.
  public struct Contents: Sendable {
    public let users: Int64
    public let observations: Int64
    public let directories: Int64
    public let people: Int64
    public let images: Int64
    public let certificates: Int64

    public init(
      users: Int64, observations: Int64, directories: Int64, people: Int64, images: Int64, certificates: Int64
    ) {
      self.users = users
      self.observations = observations
      self.directories = directories
      self.people = people
      self.images = images
      self.certificates = certificates
    }
  }

  /// Restores a backup.
  ///
  /// - Parameter file: a backup, or another copy of a database of this program's, with the log beside it if there is
  ///   one; it isn't changed.
  /// - Returns: what it holds, where what was there before is, nil where there was nothing, and whether the folder wasn't
  ///   there either.
  /// - Throws: `Failure`.
  public static func restore(
    _ file: String, into dataFolder: String
  ) throws(Failure) -> (contents: Contents, aside: String?, isNew: Bool) {
    // What root may read its folder's owner mostly may not.
    let source: BackupSource
    do throws(FileError) { source = try BackupSource(file) } catch {
      throw Failure(
        description:
          "can't read \(error.path) (\(error.number == EINVAL ? "it is not a file" : error.reason)): nothing was changed"
      )
    }
    guard source.isOurs else {
      throw Failure(
        description: "\(file) is no backup of understudy, and no database of it: nothing was changed")
    }
    try requireUnserved(file, dataFolder: dataFolder)
    let wasThere = status(of: dataFolder) != nil
    do {
      let folder = try DataFolder(path: dataFolder, patience: FolderLock.patience)
      // Its lock is held to the end.
      return try withExtendedLifetime(folder) {
        let (contents, aside) = try decide(source, in: folder, isNew: !wasThere)
        do {
          try PendingRestore.finish(in: folder.path)
        } catch {
          throw Failure(
            description:
              "\(file) is ready to take its place in \(dataFolder), which failed (\(error)): see to that; the next command or server that opens the folder goes on with it"
          )
        }
        return (contents, status(of: aside) == nil ? nil : aside, !wasThere)
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw explained(error, file: file, dataFolder: dataFolder)
    }
  }

  /// Makes a backup ready, and decides for it.
  private static func decide(
    _ source: BackupSource, in folder: DataFolder, isNew: Bool
  ) throws -> (Contents, aside: String) {
    do {
      let contents = try prepare(source, in: folder)
      try PendingRestore.requireReplaceable(in: folder.path)
      return (contents, try PendingRestore.commit(in: folder.path))
    } catch {
      removeTree(folder.path + "/" + PendingRestore.unfinished)
      if isNew {
        folder.withdrawHolder()
        rmdir(folder.path)
      }
      throw error
    }
  }

  /// A database that a server is writing to can't be copied.
  private static func requireUnserved(_ file: String, dataFolder: String) throws(Failure) {
    guard let path = resolved(file), path.hasSuffix("/" + DataFolder.databaseName) else { return }
    let parent = folder(of: path)
    guard resolved(dataFolder) != parent else {
      throw Failure(description: "\(file) is the database of \(dataFolder) itself: nothing was changed")
    }
    do throws(FolderLock.Failure) {
      _ = try FolderLock(sharing: parent)
    } catch {
      guard case .held(let holder) = error else { return }
      let remedy =
        if case .command = holder { holder.remedy } else {
          "have it make a backup with 'understudy backup FILE --data \(parent)'"
        }
      throw Failure(description: "\(holder.name) has \(file): \(remedy); nothing was changed")
    }
  }

  // MARK: Making it ready

  private static func prepare(_ source: BackupSource, in folder: DataFolder) throws -> Contents {
    let place = folder.path + "/" + PendingRestore.unfinished
    removeTree(place)
    guard mkdir(place, 0o700) == 0 else { throw FileError(place) }
    let path = place + "/" + DataFolder.databaseName
    try source.copy(to: path)
    let isSealed: Bool
    do {
      isSealed = try BackupSeal.remove(from: path)
    } catch BackupSeal.Defect.changed {
      throw changed
    }
    let contents = try read(path, isSealed: isSealed, unpackingInto: place)
    for end in ["-wal", "-shm", "-journal"] { unlink(path + end) }
    try syncToDisk(path)
    try syncToDisk(place)
    return contents
  }

  /// Checks a database, and makes of it what a server begins with: of the current schema, in one file.
  private static func read(_ path: String, isSealed: Bool, unpackingInto place: String) throws -> Contents {
    let database = try Database(path: path, schema: Storage.schema)
    let connection = try database.writer()
    let defects = try connection.defects()
    guard defects.isEmpty else { throw Database.OpenError.damaged(defects[0]) }
    let files = try FileArchive.unpack(from: connection, into: place)
    // Every backup has an archive, and ends with a seal: one without has lost its end.
    guard try isSealed || !FileArchive.isThere(on: connection) else { throw changed }
    try FileArchive.remove(from: connection)
    let rows = try StoredRowCounts(on: connection)
    // The log's content comes into the file, which then is all there is.
    guard try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)", as: { $0.integer(0) }) == [0] else {
      throw SQLiteError.busy
    }
    return Contents(
      users: rows.users, observations: rows.observations, directories: rows.directories, people: rows.people,
      images: Int64(files[FileArchive.images] ?? 0), certificates: Int64(files[FileArchive.tls] ?? 0))
  }

  private static let changed = Database.OpenError.damaged(
    "it was changed, or not copied whole, after it was made")

  private static func explained(_ error: any Error, file: String, dataFolder: String) -> Failure {
    let reason =
      switch error {
      case DataFolder.Failure.inUse(_, let holder):
        "\(holder.name) has \(dataFolder): \(holder.remedy)"
      case DataFolder.Failure.databaseIsLinked(let path, let link):
        "\(path) \(link.description): \(link.remedy(for: path))"
      case DataFolder.Failure.unusable(let path, let reason): "can't use \(path) (\(reason))"
      case Database.OpenError.newer(let version, let known):
        "\(file) was written by a newer version of this program (schema \(version), this one knows \(known)): use that version"
      case Database.OpenError.notADatabase, Database.OpenError.foreign:
        "\(file) is no backup of understudy, and no database of it"
      case Database.OpenError.damaged(let reason), SQLiteError.notADatabase(let reason),
        Database.OpenError.refused(.notADatabase(let reason)):
        "\(file) is damaged (\(reason))"
      case SQLiteError.diskFull, Database.OpenError.refused(.diskFull):
        "the disk of \(dataFolder) is full: it has to have room for the backup beside what is there"
      case PendingRestore.Obstacle.link(let path):
        "\(path) is a symbolic link, of which only the link could be kept aside: put what it leads to in its place, or restore into another folder"
      case PendingRestore.Obstacle.disk(let path):
        "\(path) is a disk of its own, which can't be kept aside: restore into another folder, and copy from there"
      case let error as FileError where error.number == ENOSPC:
        "the disk of \(dataFolder) is full: it has to have room for the backup beside what is there"
      case SQLiteError.inputOutput(_, let reason), Database.OpenError.refused(.inputOutput(_, let reason)):
        "the disk of \(dataFolder) is full or fails (\(reason))"
      default: "can't restore \(file) (\(error))"
      }
    return Failure(description: "\(reason); nothing was changed")
  }
}
