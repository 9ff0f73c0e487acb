import Files

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A path by which a Unix socket in a folder is reached. An address has room for 107 bytes (103 on macOS): where
/// the folder's own path is longer, a link to it in the folder for temporary files stands in for it, which goes
/// with the object.
public final class UnixSocketPath: Sendable {
  /// The path, short enough.
  public let text: String
  private let link: String?

  /// The longest that an address has room for, in bytes.
  private static let longest = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// - Parameter name: the socket's file name.
  /// - Throws: `ListenError.failed`.
  public init(_ name: String, in folder: String) throws(ListenError) {
    let path = folder + "/" + name
    guard path.utf8.count > Self.longest else {
      text = path
      link = nil
      return
    }
    guard let folder = resolved(folder) else { throw Self.failure() }
    let made: String
    do throws(FileError) { made = try makeTemporaryFolder() } catch { throw .failed(error.reason) }
    text = made + "/data/" + name
    link = made
    guard text.utf8.count <= Self.longest else {
      throw .failed("the path of the folder for temporary files is too long: \(temporaryFolder)")
    }
    guard symlink(folder, made + "/data") == 0 else { throw Self.failure() }
  }

  deinit {
    guard let link else { return }
    unlink(link + "/data")
    rmdir(link)
  }

  private static func failure() -> ListenError { .failed(String(cString: strerror(errno))) }

  /// Calls `body` with the path as an address.
  fileprivate func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: text.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

extension ListeningSocket {
  /// Listens on a Unix socket that only its owner can connect to. A socket that an earlier process has left there
  /// is replaced: the caller knows that nobody listens on it.
  ///
  /// - Throws: `ListenError.failed`.
  public static func listen(at path: UnixSocketPath) throws(ListenError) -> ListeningSocket {
    var status = stat()
    if lstat(path.text, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { unlink(path.text) }
    #if canImport(Darwin)
      let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    guard descriptor >= 0 else { throw .failed(String(cString: strerror(errno))) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    // Until it listens nobody can connect, whatever its mode is at first.
    let listens = path.withAddress { systemBind(descriptor, $0, $1) == 0 } && chmod(path.text, 0o600) == 0
    guard listens, systemListen(descriptor, 64) == 0 else {
      let reason = String(cString: strerror(errno))
      _ = systemClose(descriptor)
      throw .failed(reason)
    }
    return ListeningSocket(descriptor: descriptor, address: .none)
  }
}

// The system's calls, out of the reach of the methods of the same names.

private func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32
{
  bind(descriptor, address, length)
}

private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
