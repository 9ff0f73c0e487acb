#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// The file system through the system's own calls, for all who keep something there.

// MARK: Paths

/// What a path stands for; nil where there is nothing.
///
/// - Parameter followsLink: whether that is what a symbolic link leads to, and not the link.
public func status(of path: String, followsLink: Bool = true) -> stat? {
  var status = stat()
  return (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 ? status : nil
}

extension stat {
  public var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
  public var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
  public var isLink: Bool { st_mode & S_IFMT == S_IFLNK }

  /// Whether both are of one file, by whatever names.
  public func isSameFile(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }
}

/// A path without links (realpath(3)); nil where it leads nowhere, which `errno` explains.
public func resolved(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// What has a name in a folder, in words.
public enum EntryKind: String, Sendable {
  case folder = "a folder"
  case link = "a link"
  case file = "a plain file"
  case socket = "a socket"
  case other = "a device or a pipe"

  /// - Throws: `FileError` where nothing is there (`ENOENT`), or it can't be looked at.
  public init(of path: String) throws(FileError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw FileError(path) }
    self =
      switch status.st_mode & S_IFMT {
      case S_IFDIR: .folder
      case S_IFLNK: .link
      case S_IFREG: .file
      case S_IFSOCK: .socket
      default: .other
      }
  }
}

/// The path of the folder that something is in.
public func folder(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// A user's name; nil for a number that has none.
public func userName(_ id: uid_t) -> String? {
  getpwuid(id).map { String(cString: $0.pointee.pw_name) }
}

/// A user's name, or where it has none its number: "ada", "user 1000".
public func userNameOrNumber(_ id: uid_t) -> String { userName(id) ?? "user \(id)" }

// MARK: Folders

/// The names in a folder, without `.` and `..`, in their order.
///
/// - Throws: `FileError`.
public func names(in folder: String) throws(FileError) -> [String] {
  guard let directory = opendir(folder) else { throw FileError(folder) }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = entry.name
    if name != ".", name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// Where files are made that go with the program: `TMPDIR`, or `/tmp`.
public var temporaryFolder: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

/// Makes a folder of its own, for its user alone (mkdtemp(3)).
///
/// - Parameter prefix: what its name begins with.
/// - Returns: its path.
/// - Throws: `FileError`.
public func makeTemporaryFolder(
  in parent: String = temporaryFolder, prefix: String = "understudy-"
) throws(FileError) -> String {
  var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw FileError(parent) }
  return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Removes a file or a folder and everything in it, following no link.
public func removeTree(_ path: String) {
  guard let status = status(of: path, followsLink: false) else { return }
  guard status.isFolder else {
    unlink(path)
    return
  }
  for name in (try? names(in: path)) ?? [] { removeTree(path + "/" + name) }
  rmdir(path)
}

// MARK: Bytes

/// Reads what is open to its end.
///
/// - Parameter limit: the most bytes.
/// - Returns: nil where it can't be read or is longer (`EFBIG`); `errno` says why.
public func contents(of descriptor: Int32, limit: Int) -> [UInt8]? {
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 64 << 10)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return count == 0 ? bytes : nil }
    guard bytes.count + count <= limit else {
      errno = EFBIG
      return nil
    }
    bytes += buffer[..<count]
  }
}

/// Writes all of the bytes.
///
/// - Returns: false where that failed; `errno` says why.
public func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}

/// Has the disk keep what an open file or folder holds.
///
/// - Returns: false where that failed; `errno` says why.
public func flushToDisk(_ descriptor: Int32) -> Bool {
  #if canImport(Darwin)
    // Its fsync is done when the disk has the bytes in its memory; not every file system has more to give.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
  #endif
  return fsync(descriptor) == 0
}

/// Has the disk keep what a file or a folder holds.
///
/// - Throws: `FileError`.
public func syncToDisk(_ path: String) throws(FileError) {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw FileError(path) }
  defer { close(descriptor) }
  guard flushToDisk(descriptor) else { throw FileError(path) }
}

/// Writes a new file, readable to its owner alone or as `mode` says, and has the disk keep it.
///
/// - Throws: `FileError`; `EEXIST` where something of that name is there.
public func writeNewFile(_ path: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws(FileError) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
  guard descriptor >= 0 else { throw FileError(path) }
  defer { close(descriptor) }
  guard writeAll(bytes, to: descriptor), fchmod(descriptor, mode) == 0, flushToDisk(descriptor) else {
    throw FileError(path)
  }
}

/// Copies a file into a new one, readable to its owner alone.
///
/// - Throws: `FileError`, with the path of the one that it is about.
public func copyFile(_ source: String, to target: String) throws(FileError) {
  let input = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  guard input >= 0 else { throw FileError(source) }
  defer { close(input) }
  try copyFile(input, source, to: target)
}

/// Copies the rest of an open file into a new one, readable to its owner alone.
///
/// - Parameter source: its path, for errors.
/// - Throws: `FileError`, with the path of the one that it is about.
public func copyFile(_ input: Int32, _ source: String, to target: String) throws(FileError) {
  let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  guard output >= 0 else { throw FileError(target) }
  defer { close(output) }
  var buffer = [UInt8](repeating: 0, count: 1 << 20)
  while true {
    let count = read(input, &buffer, buffer.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw FileError(source) }
    if count == 0 { return }
    guard writeAll(Array(buffer[..<count]), to: output) else { throw FileError(target) }
  }
}
