import Files

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A copy of a data folder whose disk takes nothing, being full or read-only, on another disk, so that what is in it can
/// be read: SQLite needs to write beside a database to read it. Photographs and certificates are in it as links.
///
/// No server has the folder while the object lives. It goes with the object.
public final class FolderCopy {
  /// Why there is none, in a line that says what to do.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// Its path.
  public let path: String
  private let lock: FolderLock
  private let owner: FolderOwner?

  /// - Returns: nil where the folder's disk takes what is written, or another process has the folder.
  /// - Throws: `Failure`.
  public init?(of folder: String) throws(Failure) {
    do throws(FileError) { owner = try FolderOwner(of: folder) } catch {
      throw Failure(description: "can't work as the owner of \(folder) (\(error.reason))")
    }
    guard let reason = Self.refusal(of: folder) else { return nil }
    do throws(FolderLock.Failure) { lock = try FolderLock(folder, as: .command) } catch { return nil }
    path = try Self.make(of: folder, FileError(folder, reason))
  }

  deinit { removeTree(path) }

  /// Why a folder's disk takes nothing; nil where it does.
  private static func refusal(of folder: String) -> Int32? {
    let path = folder + "/.probe-\(getpid())"
    defer { unlink(path) }
    do throws(FileError) {
      // As much as SQLite needs at least, and some more.
      try writeNewFile(path, [UInt8](repeating: 0, count: 256 << 10))
      return nil
    } catch {
      return [EROFS, ENOSPC, EDQUOT].contains(error.number) ? error.number : nil
    }
  }

  private static func make(of folder: String, _ reason: FileError) throws(Failure) -> String {
    guard !PendingRestore.isThere(in: folder) else {
      throw Failure(
        description:
          "a restore in \(folder) was begun that can't be finished (\(reason.reason)): make room for it, or copy the folder to another disk"
      )
    }
    var failures: [String] = []
    // Memory is a disk that is hardly ever full.
    for parent in [temporaryFolder, "/dev/shm"] where status(of: parent)?.isFolder == true {
      do throws(FileError) {
        return try copy(folder, into: parent)
      } catch {
        failures.append("\(error)")
      }
    }
    throw Failure(
      description:
        "\(folder) can't be written to (\(reason.reason)), so that a copy has to be read, which can't be made (\(failures.joined(separator: "; "))): say with TMPDIR=FOLDER where there is room for one"
    )
  }

  private static func copy(_ folder: String, into parent: String) throws(FileError) -> String {
    let copy = try makeTemporaryFolder(in: parent)
    do throws(FileError) {
      let database = DataFolder.databaseName
      for name in [database, database + "-wal", database + "-journal", FolderIdentity.name] {
        guard status(of: folder + "/" + name) != nil else { continue }
        try copyFile(folder + "/" + name, to: copy + "/" + name)
      }
      for name in FileArchive.folders {
        guard let original = resolved(folder + "/" + name) else { continue }
        guard symlink(original, copy + "/" + name) == 0 else { throw FileError(copy) }
      }
      return copy
    } catch {
      removeTree(copy)
      throw error
    }
  }
}
