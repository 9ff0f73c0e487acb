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
    guard let resolved = realpath(path, nil) else {
      self.path = path
      return
    }
    self.path = String(cString: resolved)
    free(resolved)
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
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
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
    guard status.st_mode & S_IFMT == S_IFREG else { throw .failed("it is not a file") }
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
      Self.write(bytes, to: descriptor)
      && fchown(descriptor, status.st_uid, status.st_gid) == 0
      && fchmod(descriptor, status.st_mode & 0o7777) == 0 && fsync(descriptor) == 0
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
    if Self.write(bytes, to: descriptor), ftruncate(descriptor, off_t(bytes.count)) == 0,
      fsync(descriptor) == 0
    {
      return
    }
    let reason = errno
    // The room that the old bytes had is there.
    lseek(descriptor, 0, SEEK_SET)
    if Self.write(before, to: descriptor) { ftruncate(descriptor, off_t(before.count)) }
    throw Failure(reason)
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

/// Reads a file to its end.
///
/// - Returns: nil where it can't be read or is longer than `limit`; `errno` says why.
func contents(of descriptor: Int32, limit: Int) -> [UInt8]? {
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 16 << 10)
  while true {
    let count = systemRead(descriptor, &buffer, buffer.count)
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return count == 0 ? bytes : nil }
    guard bytes.count + count <= limit else {
      errno = EFBIG
      return nil
    }
    bytes += buffer[..<count]
  }
}

/// The system's calls, out of the reach of methods of the same names.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
