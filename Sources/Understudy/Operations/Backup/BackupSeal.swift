import CSodium
import Files

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the file of a backup ends with, behind the database's last page, where SQLite doesn't look: whose backup it
/// is, and a BLAKE2b hash of all that is before (https://doc.libsodium.org/hashing/generic_hashing).
///
/// A database that is written to loses it: it is about the file as it was made. Another program's copy of a database has
/// none, and no archive either; a backup that has lost it is refused.
struct BackupSeal: Equatable {
  /// Of the data folder: 32 hexadecimal digits.
  let folder: String
  /// 64 hexadecimal digits.
  private let hash: String

  private static let opening = Array("\nunderstudy backup 1 ".utf8)
  private static let folderLength = 32
  private static let hashLength = 32
  /// In bytes; less than the smallest page has.
  static let length = opening.count + folderLength + 1 + 2 * hashLength + 1

  /// What is wrong with a file.
  enum Defect: Error {
    /// What was changed, or only half copied.
    case changed
  }

  /// Reads what a file ends with; nil where that is no seal.
  ///
  /// - Throws: `FileError`.
  init?(of path: String) throws(FileError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileError(path) }
    var bytes = [UInt8](repeating: 0, count: Self.length)
    guard status.isRegularFile, status.st_size > Self.length,
      pread(descriptor, &bytes, bytes.count, status.st_size - off_t(Self.length)) == bytes.count
    else { return nil }
    let folder = bytes.dropFirst(Self.opening.count).prefix(Self.folderLength)
    let rest = bytes.dropFirst(Self.opening.count + Self.folderLength)
    guard bytes.starts(with: Self.opening), rest.first == UInt8(ascii: " "), rest.last == UInt8(ascii: "\n")
    else {
      return nil
    }
    self.folder = String(decoding: folder, as: UTF8.self)
    hash = String(decoding: rest.dropFirst().dropLast(), as: UTF8.self)
  }

  /// Puts a seal behind what a file holds.
  ///
  /// - Parameter isOver: asked often whether to give up.
  /// - Returns: false where that was so.
  /// - Throws: `FileError`.
  static func add(to path: String, folder: String, isOver: () -> Bool) throws(FileError) -> Bool {
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw FileError(path) }
    defer { close(descriptor) }
    let end = lseek(descriptor, 0, SEEK_END)
    guard end >= 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw FileError(path) }
    let claim = opening + Array(folder.utf8)
    guard let hash = try hash(of: descriptor, path, length: Int(end), then: claim, isOver: isOver) else {
      return false
    }
    guard writeAll(claim + Array((" " + hash + "\n").utf8), to: descriptor) else {
      throw FileError(path)
    }
    return true
  }

  /// Takes the seal away from a file that has one.
  ///
  /// - Returns: whether there was one.
  /// - Throws: `Defect` where what the file holds isn't what was sealed; `FileError`.
  static func remove(from path: String) throws -> Bool {
    guard let seal = try BackupSeal(of: path) else { return false }
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw FileError(path) }
    defer { close(descriptor) }
    let end = lseek(descriptor, -off_t(length), SEEK_END)
    guard end >= 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw FileError(path) }
    let found = try hash(
      of: descriptor, path, length: Int(end), then: opening + Array(seal.folder.utf8), isOver: { false })
    guard found == seal.hash else { throw Defect.changed }
    guard ftruncate(descriptor, end) == 0 else { throw FileError(path) }
    return true
  }

  /// Hashes so many bytes of a file from where it stands, and what is to follow them.
  private static func hash(
    of descriptor: Int32, _ path: String, length: Int, then claim: [UInt8], isOver: () -> Bool
  ) throws(FileError) -> String? {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: crypto_generichash_statebytes(), alignment: 64)
    defer { memory.deallocate() }
    let state = OpaquePointer(memory)
    crypto_generichash_init(state, nil, 0, hashLength)
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var rest = length
    while rest > 0 {
      if isOver() { return nil }
      let count = read(descriptor, &buffer, min(rest, buffer.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileError(path) }
      // It was cut short meanwhile.
      guard count > 0 else { throw FileError(path, EIO) }
      crypto_generichash_update(state, buffer, UInt64(count))
      rest -= count
    }
    crypto_generichash_update(state, claim, UInt64(claim.count))
    var hash = [UInt8](repeating: 0, count: hashLength)
    crypto_generichash_final(state, &hash, hash.count)
    return hexadecimal(hash)
  }
}

/// Bytes as hexadecimal digits, two for each.
func hexadecimal(_ bytes: [UInt8]) -> String {
  var text = [CChar](repeating: 0, count: 2 * bytes.count + 1)
  sodium_bin2hex(&text, text.count, bytes, bytes.count)
  return String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
