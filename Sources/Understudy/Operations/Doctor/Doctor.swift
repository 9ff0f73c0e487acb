import SQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Looks at all that a server depends on, beside one that runs or without. It changes nothing.
public struct Doctor {
  let options: Application.Options
  let folder: String
  /// Who has the data folder.
  public let custody: Custody
  /// Keeps others from beginning to serve while the database is read.
  private let lock: FolderLock?

  /// Who has a data folder.
  public enum Custody: Sendable {
    /// A server, or a command that works on it alone.
    case held
    /// Nobody.
    case free
    /// This user isn't let see that.
    case hidden
  }

  var isServed: Bool { custody == .held }

  /// - Parameter options: what a server is started with.
  public init(_ options: Application.Options) {
    self.options = options
    folder = options.dataFolder ?? "."
    do throws(FolderLock.Failure) {
      lock = try FolderLock(sharing: folder, patience: FolderLock.patience)
      custody = .free
    } catch {
      lock = nil
      custody =
        switch error {
        case .held: .held
        case .system(let error): error.number == EACCES ? .hidden : .free
        }
    }
  }

  /// What was found, one by one.
  ///
  /// - Parameter ports: what was found of the ports.
  public func findings(ports: [Finding]) -> [Finding] {
    Libraries.findings + folderFindings + ports + nameFindings + (mayLook ? certificateFindings : [])
      + [clockFinding]
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
