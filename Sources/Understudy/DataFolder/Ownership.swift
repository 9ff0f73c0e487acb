import Certificates
import Files
import SQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Application {
  /// What is wrong where a data folder, or something in it, is another user's, and the command that root can change
  /// that with: what a container is given mostly belongs to somebody else than its server. A command is for the user
  /// to whom the folder belongs already.
  ///
  /// - Returns: nil where that isn't what is wrong.
  static func explainOwnership(
    _ error: any Error, dataFolder: String, isServer: Bool
  ) -> String? {
    switch error {
    case is CertificateError, DataFolder.Failure.unusable, Database.OpenError.unreachable,
      Database.OpenError.refused:
      break
    default: return nil
    }
    let (user, group) = (geteuid(), getegid())
    let needed = [
      ("", R_OK | W_OK | X_OK), ("/" + DataFolder.databaseName, R_OK | W_OK),
      ("/" + DataFolder.databaseName + "-wal", R_OK | W_OK),
      ("/tls", R_OK | W_OK | X_OK), ("/tls/ca.key", R_OK), ("/tls/server.pem", R_OK),
    ]
    for (name, access) in needed {
      let path = dataFolder + name
      guard let owner = status(of: path, followsLink: false)?.st_uid, owner != user,
        faccessat(AT_FDCWD, path, access, AT_EACCESS) != 0, errno == EACCES
      else { continue }
      guard isServer else {
        return
          "can't use \(path): it belongs to \(userNameOrNumber(owner)), and this is \(userNameOrNumber(user)): run this command as that user (\(sudo(as: owner)) understudy …)"
      }
      guard let command = chown(dataFolder, to: "\(user):\(group)") else { return nil }
      return
        "can't use \(path): it belongs to user \(owner), and this is user \(user). Let root run '\(command)', or choose another folder with --data"
    }
    return nil
  }

  /// The command that gives a data folder to a user; nil for a folder with anything else in it, as /etc is.
  private static func chown(_ folder: String, to owner: String) -> String? {
    guard let names = try? names(in: folder) else { return "chown \(owner) \(folder)" }
    // A file system of its own begins with lost+found.
    let isGiven = names.contains(DataFolder.databaseName) || names.allSatisfy { $0 == "lost+found" }
    return isGiven ? "chown -R \(owner) \(folder)" : nil
  }
}

/// What a command begins with that a user is to run, by number where there is no name.
func sudo(as user: uid_t) -> String { "sudo -u \((userName(user) ?? "#\(user)").shellWord)" }
