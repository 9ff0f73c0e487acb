#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A call of the file system that failed.
struct FileError: Error, CustomStringConvertible {
  let path: String
  let number: Int32

  init(_ path: String, _ number: Int32 = errno) {
    self.path = path
    self.number = number
  }

  var reason: String { String(cString: strerror(number)) }
  var description: String { "\(path): \(reason)" }
}

/// The names in a folder, without `.` and `..`, in their order.
func names(in folder: String) throws(FileError) -> [String] {
  guard let directory = opendir(folder) else { throw FileError(folder) }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = entry.name
    if name != ".", name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// What a path stands for, links followed; nil where there is nothing.
func status(of path: String) -> stat? {
  var status = stat()
  return stat(path, &status) == 0 ? status : nil
}

extension stat {
  var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
  var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}

/// Has the disk keep what a file or a folder holds.
func syncToDisk(_ path: String) throws(FileError) {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw FileError(path) }
  defer { close(descriptor) }
  #if canImport(Darwin)
    // Its fsync is done when the disk has the bytes in its memory; not every file system has more to give.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
  #endif
  guard fsync(descriptor) == 0 else { throw FileError(path) }
}

/// Writes a new file, readable to its owner alone or as `mode` says, and has the disk keep it.
func writeNewFile(_ path: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws(FileError) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
  guard descriptor >= 0 else { throw FileError(path) }
  defer { close(descriptor) }
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { throw FileError(path) }
    rest = rest.dropFirst(count)
  }
  guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else { throw FileError(path) }
}

/// Copies a file into a new one, readable to its owner alone.
func copyFile(_ source: String, to target: String) throws(FileError) {
  let input = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  guard input >= 0 else { throw FileError(source) }
  defer { close(input) }
  let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  guard output >= 0 else { throw FileError(target) }
  defer { close(output) }
  var buffer = [UInt8](repeating: 0, count: 1 << 20)
  while true {
    let count = read(input, &buffer, buffer.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw FileError(source) }
    if count == 0 { return }
    var rest = buffer[..<count]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw FileError(target) }
      rest = rest.dropFirst(written)
    }
  }
}

/// Removes a file or a folder and everything in it, following no link.
func removeTree(_ path: String) {
  var status = stat()
  guard lstat(path, &status) == 0 else { return }
  guard status.isFolder else {
    unlink(path)
    return
  }
  for name in (try? names(in: path)) ?? [] { removeTree(path + "/" + name) }
  rmdir(path)
}
