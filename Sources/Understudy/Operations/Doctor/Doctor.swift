import SQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Something that was looked at: what it is, and where it isn't well what to do.
public struct Finding: Sendable, Equatable {
  /// What was found.
  public let text: String
  /// What to do; nil where all is well.
  public let remedy: String?

  /// All is well.
  public static func ok(_ text: String) -> Finding { Finding(text: text, remedy: nil) }

  /// Something isn't.
  public static func problem(_ text: String, _ remedy: String) -> Finding {
    Finding(text: text, remedy: remedy)
  }
}

/// Looks at all that a server depends on, beside one that runs or without. It changes nothing.
public struct Doctor {
  let options: Application.Options
  let folder: String
  /// Whether a server has the data folder.
  public let isServed: Bool
  /// Keeps others from beginning to serve while the database is read; -1 where somebody serves.
  private let lock: FolderLock?

  private final class FolderLock {
    let descriptor: Int32
    init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }
  }

  /// - Parameter options: what a server is started with.
  public init(_ options: Application.Options) {
    self.options = options
    folder = options.dataFolder ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    let isLocked = descriptor >= 0 && flock(descriptor, LOCK_SH | LOCK_NB) == 0
    isServed = descriptor >= 0 && !isLocked && errno == EWOULDBLOCK
    if descriptor >= 0, !isLocked { close(descriptor) }
    lock = isLocked ? FolderLock(descriptor) : nil
  }

  /// What was found, one by one.
  ///
  /// - Parameter ports: what was found of the ports.
  public func findings(ports: [Finding]) -> [Finding] {
    Libraries.findings + folderFindings + ports + nameFindings + certificateFindings + [clockFinding]
  }

  private var folderFindings: [Finding] {
    var status = stat()
    guard stat(folder, &status) == 0 else {
      guard errno == ENOENT else {
        return [
          .problem(
            "the data folder \(folder) can't be looked at (\(String(cString: strerror(errno))))",
            "run this as the user that the server runs as")
        ]
      }
      return [.ok("there is no data folder \(folder) yet: 'understudy serve' makes it")]
    }
    return modeFindings(folder: status) + databaseFindings + [spaceFinding]
  }

  private var spaceFinding: Finding {
    guard let space = DiskSpace(at: folder) else {
      return .problem("the system doesn't say what the disk has left", "see whether it fails")
    }
    guard !space.isReadOnly else { return .problem("the disk is mounted read-only", "mount it for writing") }
    let text = "the data folder's disk has \(DiskSpace.text(space.free)) left"
    return space.free >= options.diskThreshold
      ? .ok(text)
      : .problem(
        "\(text), less than \(DiskSpace.text(options.diskThreshold))",
        "make room on it, or lower --disk-threshold")
  }

  // MARK: Modes

  private func modeFindings(folder status: stat) -> [Finding] {
    var findings: [Finding] = []
    if geteuid() != 0, status.st_uid != geteuid() {
      findings.append(
        .problem(
          "the data folder \(folder) belongs to the user \(status.st_uid), and this is \(geteuid())",
          "run the server and this as that user, or have root change its owner: chown -R \(geteuid()) \(folder)"
        ))
    }
    let files = ["", "-wal", "-shm"].map { DataFolder.databaseName + $0 } + ["tls/ca.key", "tls/server.pem"]
    for (path, mode) in [(folder, "700")] + files.map({ (folder + "/" + $0, "600") }) {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
      let found = String(status.st_mode & 0o777, radix: 8)
      findings.append(
        .problem("\(path) is open to other users of this machine (mode \(found))", "chmod \(mode) \(path)"))
    }
    return findings.isEmpty
      ? [.ok("the data folder \(folder) and what is in it are its owner's alone")] : findings
  }
}

extension Libraries {
  /// The versions, with a word where one is known for something.
  static var findings: [Finding] {
    all.map { name, version in
      let number = version.split(separator: ".").compactMap { Int($0) }
      func isBefore(_ other: [Int]) -> Bool { number.lexicographicallyPrecedes(other) }
      return switch name {
      case "SQLite" where isBefore([3, 51, 3]):
        .ok(
          "SQLite \(version): two connections that checkpoint at once could damage a database with it, and here only one ever does"
        )
      case "libmicrohttpd" where isBefore([0, 9, 76]):
        .ok("libmicrohttpd \(version): its parser of forms has a flaw (CVE-2023-27371), and isn't used here")
      default: .ok("\(name) \(version)")
      }
    }
  }
}
