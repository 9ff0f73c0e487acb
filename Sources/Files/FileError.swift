#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A call of the file system that failed.
public struct FileError: Error, CustomStringConvertible {
  /// What it was about.
  public let path: String
  /// The system's number for the reason (errno(3)).
  public let number: Int32

  /// - Parameter number: the reason; without it that of the last call.
  public init(_ path: String, _ number: Int32 = errno) {
    self.path = path
    self.number = number
  }

  /// The reason in the system's words.
  public var reason: String { String(cString: strerror(number)) }
  /// The path and the reason.
  public var description: String { "\(path): \(reason)" }
}
