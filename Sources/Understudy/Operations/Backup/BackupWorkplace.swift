import Files

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A folder of its own in which a backup grows, beside the place that it gets.
///
/// However many processes write backups to one folder, each has another one. It is locked for as long as its maker
/// lives (flock(2)): what isn't locked was left by one that was killed, and the next backup there removes it.
final class BackupWorkplace {
  private static let prefix = ".understudy-partial-"
  private static let fileName = "backup"
  /// The file, and what SQLite puts beside it.
  private static let contents = ["", "-journal", "-wal", "-shm"].map { fileName + $0 }

  private let path: String
  private let descriptor: Int32

  /// Where the backup grows.
  var file: String { path + "/" + Self.fileName }

  /// Removes what killed processes have left in a folder, and makes a new one there.
  ///
  /// - Throws: `FileError`.
  init(in parent: String) throws(FileError) {
    Self.removeLeftovers(in: parent)
    while true {
      let path = try makeTemporaryFolder(in: parent, prefix: Self.prefix)
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      if descriptor >= 0 {
        // A file system without locks has none for those who tidy up either.
        let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
        if isLocked, Self.isThere(descriptor, path) {
          (self.path, self.descriptor) = (path, descriptor)
          return
        }
        close(descriptor)
      } else if errno != ENOENT {
        throw FileError(path)
      }
      // Another one took it for a leftover before it was locked.
    }
  }

  deinit {
    Self.remove(descriptor, path)
    close(descriptor)
  }

  private static func removeLeftovers(in parent: String) {
    for name in (try? names(in: parent)) ?? [] where name.hasPrefix(prefix) {
      let path = parent + "/" + name
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isThere(descriptor, path) { remove(descriptor, path) }
    }
  }

  /// Removes what one of these can hold, and nothing that only has been put there.
  private static func remove(_ descriptor: Int32, _ path: String) {
    for name in contents { unlinkat(descriptor, name, 0) }
    rmdir(path)
  }

  /// Whether what is open still is what the path leads to.
  private static func isThere(_ descriptor: Int32, _ path: String) -> Bool {
    var opened = stat()
    guard fstat(descriptor, &opened) == 0, let found = status(of: path, followsLink: false) else {
      return false
    }
    return found.isSameFile(as: opened)
  }

  // MARK: The place it gets

  /// Gives the file its place in one step, in the place of what is there.
  ///
  /// - Throws: `FileError`.
  func replace(_ path: String) throws(FileError) {
    guard rename(file, path) == 0 else { throw FileError(path) }
  }

  /// Gives the file the first dated name of this moment that nobody has.
  ///
  /// - Returns: the name.
  /// - Throws: `FileError`.
  func takeName(_ time: Int, in parent: String) throws(FileError) -> DatedName {
    var name = DatedName(time: time)
    while !(try take(parent + "/" + name.description)) {
      name = DatedName(time: time, number: name.number + 1)
    }
    return name
  }

  /// - Returns: false where something is in that place.
  private func take(_ path: String) throws(FileError) -> Bool {
    if link(file, path) == 0 { return true }
    switch errno {
    case EEXIST: return false
    case EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK:
      // A file system without links, as on a USB stick: an empty file keeps the name for the moment until it is renamed.
      do throws(FileError) { try writeNewFile(path, []) } catch {
        if error.number == EEXIST { return false }
        throw error
      }
      try replace(path)
      return true
    default: throw FileError(path)
    }
  }
}
