#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// No file that is read here is longer, in bytes.
private let longestFile = 1 << 20

/// Reads a file whole.
func readFile(_ path: String) throws(CertificateError) -> [UInt8] {
  // A pipe or device in its place isn't waited for.
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  guard descriptor >= 0 else {
    if errno == EACCES || errno == EPERM { throw .forbidden(path, owner: owner(of: path)) }
    throw .unreadable(path, reason: String(cString: strerror(errno)))
  }
  defer { close(descriptor) }
  var status = stat()
  guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
    throw .unreadable(path, reason: "it is not a regular file")
  }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 16 << 10)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    if count == 0 { return bytes }
    guard count > 0 else { throw .unreadable(path, reason: String(cString: strerror(errno))) }
    bytes += buffer[..<count]
    guard bytes.count <= longestFile else { throw .unreadable(path, reason: "it is too long") }
  }
}

/// Whose a file is, or the folder nearest to it that this user sees.
private func owner(of path: String) -> String {
  var (path, status) = (path, stat())
  while stat(path, &status) != 0 {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "another user" }
    path = String(path[..<slash])
  }
  return getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "user \(status.st_uid)"
}

/// The new bytes of a file, on the disk beside it under another name.
struct NewFile {
  private let path: String
  private var new: String { path + ".new" }

  /// Writes the bytes. Nobody who isn't to read the file could read them meanwhile.
  init(_ bytes: [UInt8], for path: String, mode: mode_t) throws(CertificateError) {
    self.path = path
    // What an earlier run left there may be open to others.
    unlink(new)
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw failure() }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else {
        let failure = failure()
        close(descriptor)
        discard()
        throw failure
      }
      rest = rest.dropFirst(count)
    }
    let isSynced = fchmod(descriptor, mode) == 0 && sync(descriptor)
    guard close(descriptor) == 0, isSynced else {
      let failure = failure()
      discard()
      throw failure
    }
  }

  /// Puts it in the place of the old one: the name stands for all of the old bytes or all of the new ones,
  /// whenever the machine loses its power.
  func takePlace() throws(CertificateError) {
    guard rename(new, path) == 0 else {
      let failure = failure()
      discard()
      throw failure
    }
    try syncFolder(of: path)
  }

  /// Lets the file be as it is.
  func discard() { unlink(new) }

  private func failure() -> CertificateError {
    .unwritable(path, reason: String(cString: strerror(errno)))
  }
}

/// Removes a file, for good, where there is one.
func removeFile(_ path: String) throws(CertificateError) {
  guard unlink(path) == 0 || errno == ENOENT else {
    throw .unwritable(path, reason: String(cString: strerror(errno)))
  }
  try syncFolder(of: path)
}

/// Whether there is a file of this name, readable or not.
func fileExists(_ path: String) -> Bool {
  var status = stat()
  return lstat(path, &status) == 0 || errno != ENOENT && errno != ENOTDIR
}

private func syncFolder(of path: String) throws(CertificateError) {
  let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { throw .unwritable(path, reason: String(cString: strerror(errno))) }
  defer { close(descriptor) }
  guard sync(descriptor) else { throw .unwritable(path, reason: String(cString: strerror(errno))) }
}

/// Has the disk keep what was written.
private func sync(_ descriptor: Int32) -> Bool {
  #if canImport(Darwin)
    // Its fsync is done when the disk has the bytes in its memory; not every file system has more to give.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
  #endif
  return fsync(descriptor) == 0
}
