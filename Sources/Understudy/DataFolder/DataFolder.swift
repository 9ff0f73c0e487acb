import Files
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The folder with everything that a server keeps, locked against other servers while one has it.
final class DataFolder: Sendable {
  enum Failure: Error, Equatable {
    /// Somebody else has it.
    case inUse(String, by: FolderLock.Holder)
    /// Its database is a link, or has other names: others can have it by another folder.
    case databaseIsLinked(String, DatabaseLink)
    /// It can't be made, or not written to.
    case unusable(String, reason: String)
  }

  let path: String
  private let isTemporary: Bool
  private let lock: FolderLock
  /// Where root works in it as its owner. It outlives the lock, which has a file in the folder.
  private let owner: FolderOwner?

  /// The database's file name.
  static let databaseName = "understudy.sqlite"
  /// The name of the folder for backups.
  static let backupsName = "backups"

  var database: String { path + "/" + Self.databaseName }
  var images: String { path + "/images" }
  /// Where the backups of `serve --backup-every` go.
  var backups: String { path + "/" + Self.backupsName }
  /// The certificate of the authority that this server's own certificate is under, as PEM.
  var authorityCertificate: String { path + "/tls/ca.pem" }

  /// Opens the folder, making it where there is none.
  ///
  /// - Parameters:
  ///   - kind: what others are told that has it. For a command, root is the folder's owner while it is open.
  ///   - patience: how long to wait for a command that has it, in seconds.
  convenience init(
    path: String, as kind: FolderLock.Kind = .command, patience: Double = 0
  ) throws(Failure) {
    try Self.makeFolder(path)
    try self.init(existing: path, isTemporary: false, as: kind, patience: patience)
  }

  /// A folder of its own that goes with the object.
  convenience init(temporaryIn parent: String) throws(Failure) {
    let path: String
    do throws(FileError) {
      path = try makeTemporaryFolder(in: parent)
    } catch {
      throw .unusable(parent, reason: error.reason)
    }
    try self.init(existing: path, isTemporary: true, as: .server, patience: 0)
  }

  private init(
    existing path: String, isTemporary: Bool, as kind: FolderLock.Kind, patience: Double
  ) throws(Failure) {
    self.path = path
    self.isTemporary = isTemporary
    do throws(FileError) {
      owner = kind == .command ? try FolderOwner(of: path) : nil
    } catch {
      throw .unusable(path, reason: "its owner can't be worked as: \(error.reason)")
    }
    do throws(FolderLock.Failure) {
      lock = try FolderLock(path, as: kind, patience: patience)
    } catch {
      switch error {
      case .held(let holder): throw .inUse(path, by: holder)
      case .system(let error): throw .unusable(path, reason: error.reason)
      }
    }
    guard access(path, W_OK) == 0 else {
      throw .unusable(path, reason: String(cString: strerror(errno)))
    }
    do {
      try PendingRestore.finish(in: path)
    } catch {
      throw .unusable(path, reason: "a restore that was begun can't be finished: \(error)")
    }
    if let link = DatabaseLink(at: database) { throw .databaseIsLinked(database, link) }
  }

  /// Makes the folder for pictures, where there is none.
  func makeImages() throws(Failure) { try Self.makeFolder(images) }

  deinit {
    removeIfTemporary()
  }

  /// Tells others no longer who has it, for a program that is about to end with it.
  func withdrawHolder() { lock.withdrawHolder() }

  func removeIfTemporary() {
    if isTemporary { removeTree(path) }
  }

  /// Makes a folder and those above it.
  private static func makeFolder(_ path: String) throws(Failure) {
    if mkdir(path, 0o700) == 0 { return }
    var reason = errno
    if reason == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try makeFolder(String(path[..<slash]))
      if mkdir(path, 0o700) == 0 { return }
      reason = errno
    }
    guard reason == EEXIST, status(of: path)?.isFolder == true else {
      throw .unusable(
        path, reason: reason == EEXIST ? "it is not a folder" : String(cString: strerror(reason)))
    }
  }
}
