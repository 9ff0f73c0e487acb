import Files
import SQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file that is to be restored, open, with what a copied folder has beside it: the log of a database belongs to it.
final class BackupSource {
  private let path: String
  private let descriptor: Int32
  /// By what their names end with.
  private var beside: [(end: String, descriptor: Int32)] = []

  /// - Throws: `FileError`; `EINVAL` for what is no file.
  init(_ path: String) throws(FileError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(path) }
    guard Self.isFile(descriptor) else { throw FileError(path, EINVAL) }
    for end in ["-wal", "-journal"] {
      // Whoever can put a link there says with it what is read.
      let descriptor = open(path + end, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
      if descriptor < 0, errno == ENOENT { continue }
      guard descriptor >= 0 else { throw FileError(path + end) }
      beside.append((end, descriptor))
      guard Self.isFile(descriptor) else { throw FileError(path + end, EINVAL) }
    }
  }

  deinit {
    for descriptor in [descriptor] + beside.map(\.descriptor) where descriptor >= 0 { close(descriptor) }
  }

  /// Whether it is a database of this program's, by its header.
  var isOurs: Bool { Database.isOurs(descriptor, schema: Storage.schema) }

  /// Copies it to where nothing is, and what is beside it to beside that.
  ///
  /// - Throws: `FileError`.
  func copy(to target: String) throws(FileError) {
    for (end, descriptor) in [("", descriptor)] + beside {
      try copyFile(descriptor, path + end, to: target + end)
    }
  }

  private static func isFile(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.isRegularFile
  }
}
