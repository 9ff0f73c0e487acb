import Files

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
  guard fstat(descriptor, &status) == 0, status.isRegularFile else {
    throw .unreadable(path, reason: "it is not a regular file")
  }
  guard let bytes = contents(of: descriptor, limit: longestFile) else {
    throw .unreadable(path, reason: errno == EFBIG ? "it is too long" : String(cString: strerror(errno)))
  }
  return bytes
}

/// Whose a file is, or the folder nearest to it that this user sees.
private func owner(of path: String) -> String {
  var (path, status) = (path, stat())
  while stat(path, &status) != 0 {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "another user" }
    path = String(path[..<slash])
  }
  return userNameOrNumber(status.st_uid)
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
    do throws(FileError) {
      try writeNewFile(new, bytes, mode: mode)
    } catch {
      discard()
      throw .unwritable(path, reason: error.reason)
    }
  }

  /// Puts it in the place of the old one: the name stands for all of the old bytes or all of the new ones,
  /// whenever the machine loses its power.
  func takePlace() throws(CertificateError) {
    guard rename(new, path) == 0 else {
      let reason = String(cString: strerror(errno))
      discard()
      throw .unwritable(path, reason: reason)
    }
    try syncFolder(of: path)
  }

  /// Lets the file be as it is.
  func discard() { unlink(new) }
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
  do throws(FileError) {
    try syncToDisk(folder(of: path))
  } catch {
    throw .unwritable(path, reason: error.reason)
  }
}
