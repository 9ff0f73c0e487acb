import Files

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A whole file that belongs to somebody else: what is in it can be changed, and nothing else of it.
public struct FileContents: Sendable {
  /// Why it couldn't be read or written.
  public enum Failure: Error, Equatable {
    /// This user may not.
    case notPermitted
    case failed(String)

    fileprivate init(_ number: Int32) {
      self = number == EACCES || number == EPERM ? .notPermitted : .failed(String(cString: strerror(number)))
    }
  }

  /// How it was written.
  public enum Way: Sendable {
    /// A new file took the old one's place in one step.
    case replaced
    /// The file itself was written to, since it couldn't be replaced or would have lost something by it.
    case inPlace
  }

  private static let limit = 64 << 20

  /// Where it is, links followed.
  private let path: String

  /// - Parameter path: of the file or of a link to it.
  public init(path: String) {
    self.path = resolved(path) ?? path
  }

  /// What is in it; nothing where there is no file.
  public func read() throws(Failure) -> [UInt8] {
    // A pipe or device in its place isn't waited for.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    var status = stat()
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw Failure(errno) }
      // A link that leads nowhere would be replaced by a file.
      guard lstat(path, &status) != 0 else { throw .failed("it is a link to a file that isn't there") }
      return []
    }
    defer { close(descriptor) }
    guard fstat(descriptor, &status) == 0, status.isRegularFile else {
      throw .failed("it is not a file")
    }
    guard let bytes = contents(of: descriptor, limit: Self.limit) else { throw Failure(errno) }
    return bytes
  }

  /// Puts other bytes into it. Its owner, mode and links stay.
  ///
  /// Who reads it meanwhile sees the one or the other, except where it can't be replaced: the hosts file of a
  /// container is a mount point, a file may have names elsewhere, or the folder isn't
  /// ours to write to.
  @discardableResult public func write(_ bytes: [UInt8]) throws(Failure) -> Way {
    var status = stat()
    let isThere = stat(path, &status) == 0
    if !isThere {
      status.st_mode = S_IFREG | 0o644
      (status.st_uid, status.st_gid) = (geteuid(), getegid())
    }
    guard status.isRegularFile else { throw .failed("it is not a file") }
    // Who may write to the folder but not to the file isn't meant to change it.
    guard !isThere || access(path, W_OK) == 0 else { throw Failure(errno) }
    if status.st_nlink <= 1, replace(with: bytes, like: status) { return .replaced }
    try overwrite(with: bytes)
    return .inPlace
  }

  /// - Returns: whether it could.
  private func replace(with bytes: [UInt8], like status: stat) -> Bool {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    var template = Array("\(path[..<slash]).\(path[slash...])-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { return false }
    let isWritten =
      writeAll(bytes, to: descriptor)
      && fchown(descriptor, status.st_uid, status.st_gid) == 0
      && fchmod(descriptor, status.st_mode & 0o7777) == 0 && flushToDisk(descriptor)
    close(descriptor)
    if isWritten, rename(template, path) == 0 { return true }
    unlink(template)
    return false
  }

  private func overwrite(with bytes: [UInt8]) throws(Failure) {
    let before = try read()
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Failure(errno) }
    defer { close(descriptor) }
    if writeAll(bytes, to: descriptor), ftruncate(descriptor, off_t(bytes.count)) == 0,
      flushToDisk(descriptor)
    {
      return
    }
    let reason = errno
    // The room that the old bytes had is there.
    lseek(descriptor, 0, SEEK_SET)
    if writeAll(before, to: descriptor) { ftruncate(descriptor, off_t(before.count)) }
    throw Failure(reason)
  }
}
