#if os(Linux)
  import Foundation

  /// A small disk of its own (tmpfs), mounted where only programs that it launches see it, so that it is
  /// gone with the test, however that ends.
  public final class MountedDisk: @unchecked Sendable {
    // Safe to share: used by one test at a time.

    public struct Failure: Error, CustomStringConvertible {
      public let description: String
    }

    /// Keeps the mount until its standard input ends.
    private let keeper = Process()
    private let input = Pipe()
    /// Where the launched programs see it.
    public let path: String
    private let isUserNamespaced: Bool

    /// Whether this machine lets a disk be mounted; a container mostly doesn't.
    public static let isAvailable = (try? MountedDisk(size: "64k")) != nil

    /// - Parameter size: as tmpfs takes it, `8m`.
    public init(size: String) throws {
      path =
        FileManager.default.temporaryDirectory.appending(path: "understudy-mount-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      // Who isn't root becomes it in a user namespace.
      isUserNamespaced = geteuid() != 0
      let output = Pipe()
      keeper.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
      keeper.arguments = [
        isUserNamespaced ? "-rm" : "-m", "sh", "-c",
        "mount -t tmpfs -o size=\(size),mode=700 tmpfs '\(path)' && echo mounted && exec cat > /dev/null",
      ]
      keeper.standardInput = input
      keeper.standardOutput = output
      keeper.standardError = FileHandle.nullDevice
      try keeper.run()
      guard !output.fileHandleForReading.availableData.isEmpty else {
        throw Failure(description: "a disk can't be mounted here")
      }
    }

    deinit {
      try? input.fileHandleForWriting.close()
      if keeper.isRunning { keeper.waitUntilExit() }
      rmdir(path)
    }

    /// Where the test sees it.
    public var url: URL { URL(fileURLWithPath: "/proc/\(keeper.processIdentifier)/root\(path)") }

    /// What a program is started with that is to see it.
    public var launcher: [String] {
      ["/usr/bin/nsenter", "--target", "\(keeper.processIdentifier)", "--mount"]
        + (isUserNamespaced ? ["--user", "--preserve-credentials"] : [])
    }

    /// Mounts it anew: `ro`, `rw`, `size=16m`.
    public func remount(_ options: String) throws {
      try run(["mount", "-o", "remount,\(options)", path])
    }

    /// Runs a command that sees it, as root of its namespace.
    public func run(_ words: [String]) throws {
      let process = Process()
      let command = launcher + words
      process.executableURL = URL(fileURLWithPath: command[0])
      process.arguments = Array(command.dropFirst())
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else {
        throw Failure(description: "\(words.joined(separator: " ")) failed")
      }
    }

    /// Fills it to the last byte with a file.
    public func fill(_ name: String = "filler") throws {
      let descriptor = open(url.appending(path: name).path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw Failure(description: "no file can be made on it") }
      defer { close(descriptor) }
      let zeros = [UInt8](repeating: 0, count: 64 << 10)
      var size = zeros.count
      while size > 0 {
        if write(descriptor, zeros, size) < size { size /= 2 }
      }
    }

    /// Removes a file from it.
    public func remove(_ name: String = "filler") throws {
      try FileManager.default.removeItem(at: url.appending(path: name))
    }
  }
#endif
