import CSodium
import Files
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What tells the backups of one data folder from those of others: a number in its file `identity`, made up when the
/// first backup is. A backup doesn't hold that file, so that a folder that is made of one is a folder of its own.
final class FolderIdentity: Sendable {
  /// What is in a backup whose folder has none, since its disk takes nothing. It is nobody's.
  static let unknown = String(repeating: "0", count: 32)

  static let name = "identity"

  private let path: String
  private let known = Condition<String?>(nil)

  /// - Parameter folder: the path of the data folder, which this process alone has.
  init(in folder: String) { path = folder + "/" + Self.name }

  /// 32 hexadecimal digits; nil where none can be kept.
  var value: String? {
    known.withLock { known in
      if known == nil { known = read() ?? make() }
      return known
    }
  }

  private func read() -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let bytes = contents(of: descriptor, limit: 64), bytes.count == 33,
      bytes.last == UInt8(ascii: "\n"),
      bytes.dropLast().allSatisfy({ UnicodeScalar($0).properties.isASCIIHexDigit })
    else { return nil }
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }

  private func make() -> String? {
    var bytes = [UInt8](repeating: 0, count: 16)
    randombytes_buf(&bytes, bytes.count)
    let identity = hexadecimal(bytes)
    let part = path + ".part"
    unlink(part)
    do {
      try writeNewFile(part, Array((identity + "\n").utf8))
      guard rename(part, path) == 0 else { throw FileError(path) }
      try syncToDisk(folder(of: path))
      return identity
    } catch {
      unlink(part)
      return nil
    }
  }
}
