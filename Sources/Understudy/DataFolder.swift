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
    /// Another server has it.
    case inUse(String)
    /// It can't be made, or not written to.
    case unusable(String, reason: String)
  }

  let path: String
  private let isTemporary: Bool
  /// Holds the lock; the system lets go of it with the process, however that ends.
  private let descriptor: Int32
  /// Where root works in it as its owner.
  private let owner: FolderOwner?

  /// The database's file name.
  static let databaseName = "understudy.sqlite"

  var database: String { path + "/" + Self.databaseName }
  var images: String { path + "/images" }
  /// Where the backups of `serve --backup-every` go.
  var backups: String { path + "/backups" }
  /// The certificate of the authority that this server's own certificate is under, as PEM.
  var authorityCertificate: String { path + "/tls/ca.pem" }

  /// Opens the folder, making it where there is none.
  ///
  /// - Parameter asOwner: whether root is its owner while it is open.
  convenience init(path: String, asOwner: Bool = false) throws(Failure) {
    try Self.makeFolder(path)
    try self.init(existing: path, isTemporary: false, asOwner: asOwner)
  }

  /// A folder of its own that goes with the object.
  convenience init(temporaryIn parent: String) throws(Failure) {
    let path: String
    do throws(FileError) {
      path = try makeTemporaryFolder(in: parent)
    } catch {
      throw .unusable(parent, reason: error.reason)
    }
    try self.init(existing: path, isTemporary: true)
  }

  private init(existing path: String, isTemporary: Bool, asOwner: Bool = false) throws(Failure) {
    self.path = path
    self.isTemporary = isTemporary
    do throws(FileError) {
      owner = asOwner ? try FolderOwner(of: path) : nil
    } catch {
      throw .unusable(path, reason: "its owner can't be worked as: \(error.reason)")
    }
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unusable(path, reason: String(cString: strerror(errno))) }
    // From here on the object is whole, and its end closes the descriptor.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      throw reason == EWOULDBLOCK ? .inUse(path) : .unusable(path, reason: String(cString: strerror(reason)))
    }
    guard access(path, W_OK) == 0 else {
      throw .unusable(path, reason: String(cString: strerror(errno)))
    }
    do {
      try PendingRestore.finish(in: path)
    } catch {
      throw .unusable(path, reason: "a restore that was begun can't be finished: \(error)")
    }
  }

  /// Makes the folder for pictures, where there is none.
  func makeImages() throws(Failure) { try Self.makeFolder(images) }

  deinit {
    guard descriptor >= 0 else { return }
    removeIfTemporary()
    // A process that is being forked meanwhile shares the descriptor for a moment, and would the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

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
