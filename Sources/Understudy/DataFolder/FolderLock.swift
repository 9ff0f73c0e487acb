import Files
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A data folder's lock (flock(2) on the folder itself, by whatever path it is reached): who changes what is in it has
/// it alone, and who only looks shares it. The system lets go of it with the process, however that ends.
///
/// A file in the folder says who has it, for messages alone.
final class FolderLock: Sendable {
  /// Who has a folder.
  enum Holder: Equatable, Sendable {
    case server(pid_t)
    case command(pid_t)
    /// One that hasn't said, or whose process can't be seen from here.
    case unknown

    /// What it is, in words.
    var name: String {
      switch self {
      case .server: "a server"
      case .command: "a command"
      case .unknown: "a server or a command"
      }
    }

    /// The same as one beside this one, with its process.
    var other: String {
      switch self {
      case .server(let process): "another server (process \(process))"
      case .command(let process): "a command (process \(process))"
      case .unknown: "another server or a command"
      }
    }

    /// What has to be done to have the folder oneself.
    var remedy: String {
      switch self {
      case .server: "stop it first"
      case .command: "wait for its end"
      case .unknown: "stop it, or wait for its end"
      }
    }
  }

  /// What a holder is, as the file says it.
  enum Kind: String {
    case server, command
  }

  enum Failure: Error {
    case held(by: Holder)
    case system(FileError)
  }

  /// How long a command may take that has a folder when a server begins, in seconds.
  static let patience = 2.0

  /// What says who has it.
  static let holderName = "understudy.lock"

  private let descriptor: Int32
  private let isShared: Bool

  /// Takes it alone.
  ///
  /// - Parameters:
  ///   - kind: what others are told that has it.
  ///   - patience: how long to wait for one that isn't a server, in seconds.
  convenience init(_ folder: String, as kind: Kind, patience: Double = 0) throws(Failure) {
    self.init(try Self.lock(folder, LOCK_EX, patience: patience), isShared: false)
    let holder = openat(
      descriptor, Self.holderName, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    // Without it, as where the disk is full, others are told less.
    guard holder >= 0 else { return }
    _ = writeAll(Array("\(kind.rawValue) \(getpid())\n".utf8), to: holder)
    close(holder)
  }

  /// Shares it with others who only look.
  convenience init(sharing folder: String, patience: Double = 0) throws(Failure) {
    self.init(try Self.lock(folder, LOCK_SH, patience: patience), isShared: true)
  }

  private init(_ descriptor: Int32, isShared: Bool) {
    self.descriptor = descriptor
    self.isShared = isShared
  }

  private static func lock(
    _ folder: String, _ operation: Int32, patience: Double
  ) throws(Failure) -> Int32 {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(FileError(folder)) }
    let deadline = MonotonicClock.now + UInt64(patience * 1e9)
    while flock(descriptor, operation | LOCK_NB) != 0 {
      let reason = errno
      let holder = Self.holder(of: folder)
      let isServer = if case .server = holder { true } else { false }
      if reason == EWOULDBLOCK, !isServer, MonotonicClock.now < deadline {
        usleep(10_000)
        continue
      }
      close(descriptor)
      throw reason == EWOULDBLOCK ? .held(by: holder) : .system(FileError(folder, reason))
    }
    return descriptor
  }

  /// Tells others no longer who has it, which is still so: before the folder goes, or the process.
  func withdrawHolder() {
    if !isShared { unlinkat(descriptor, Self.holderName, 0) }
  }

  deinit {
    withdrawHolder()
    // A process that is being forked meanwhile shares the descriptor for a moment, and would the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Who has a folder that somebody has. What one that was killed has left there counts for nothing.
  static func holder(of folder: String) -> Holder {
    let descriptor = open(folder + "/" + holderName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return .unknown }
    defer { close(descriptor) }
    let words = contents(of: descriptor, limit: 64).map {
      String(decoding: $0, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    }
    guard let words, words.count == 2, let process = pid_t(words[1]), process > 0,
      kill(process, 0) == 0 || errno == EPERM
    else { return .unknown }
    return switch Kind(rawValue: String(words[0])) {
    case .server: .server(process)
    case .command: .command(process)
    case nil: .unknown
    }
  }
}
