import Files
import SQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Doctor {
  private var database: String { folder + "/" + DataFolder.databaseName }

  /// What the database itself says, read beside the server that has it, or from a file that nobody has.
  var databaseFindings: [Finding] {
    if let link = DatabaseLink(at: database) {
      return [.problem("\(database) \(link.description)", link.remedy(for: database))]
    }
    if let lost = LostData(in: folder) { return [.problem(lost.description, lost.remedy)] }
    guard let status = status(of: database) else {
      guard errno == ENOENT else {
        return [
          .problem(
            "\(database) can't be looked at (\(String(cString: strerror(errno))))",
            "give the folder's owner the rights to it")
        ]
      }
      return [.ok("there is no database yet: 'understudy serve' makes it")]
    }
    do {
      return try check(size: Int(status.st_size))
    } catch let error as SQLiteError {
      if case .notADatabase = error { return [damaged("\(error)")] }
      return [
        .problem("\(database) can't be read (\(error))", "run this as the user that the server runs as")
      ]
    } catch {
      return [
        .problem(
          "\(database) wasn't closed by the server that had it, and couldn't be looked at (\(error))",
          "start the server once, which puts it in order")
      ]
    }
  }

  private func damaged(_ reason: String) -> Finding {
    .problem(
      "\(database) is damaged (\(reason))",
      "stop the server, keep the file, and put a backup in its place: 'understudy restore'")
  }

  private func check(size: Int) throws -> [Finding] {
    if isServed { return try check(Connection(path: database, access: .readOnly), size: size) }
    guard hasRemains else { return try check(Connection(path: database, access: .immutable), size: size) }
    // Reading would put the remains in order, which is the server's to do: a copy is as good.
    let copy = try Copy(of: database)
    return try check(Connection(path: copy.path, access: .readWrite), size: size)
  }

  /// Whether a server that was killed, or a power cut, has left what isn't in the file yet.
  private var hasRemains: Bool {
    ["-wal", "-journal"].contains { (status(of: database + $0)?.st_size ?? 0) > 0 }
  }

  private func check(_ connection: Connection, size: Int) throws -> [Finding] {
    let version = try connection.integer("PRAGMA user_version") ?? 0
    let application = try connection.integer("PRAGMA application_id") ?? 0
    guard application == Storage.schema.applicationID else {
      return [
        .problem("\(database) is a database of another program", "choose another folder with --data")
      ]
    }
    guard version <= Storage.schema.version else {
      return [
        .problem(
          "\(database) was written by a newer version of this program (schema \(version))", "use that version"
        )
      ]
    }
    let defects = try connection.rows("PRAGMA integrity_check(3)") { $0.text(0) }
    guard defects == ["ok"] else { return [damaged(defects.joined(separator: "; "))] }
    let orphans = try connection.rows("PRAGMA foreign_key_check") { $0.text(0) }
    guard orphans.isEmpty else {
      return [
        damaged(
          "\(orphans.count) rows of \(Set(orphans).sorted().joined(separator: ", ")) refer to ones that aren't there"
        )
      ]
    }
    return [
      .ok(
        "the database is sound: \(DiskSpace.text(size)), schema \(version), no row refers to one that isn't there"
      )
    ]
  }

  /// A copy of a database and what is beside it, in a folder that goes with it.
  private final class Copy {
    private let folder: String
    var path: String { folder + "/copy" }
    private static let files = ["", "-wal", "-journal"]

    init(of database: String) throws {
      folder = try makeTemporaryFolder()
      // Nobody else has the folder meanwhile.
      for suffix in Self.files where Files.status(of: database + suffix) != nil {
        try copyFile(database + suffix, to: path + suffix)
      }
    }

    deinit {
      for suffix in Self.files + ["-shm"] { unlink(path + suffix) }
      rmdir(folder)
    }
  }
}
