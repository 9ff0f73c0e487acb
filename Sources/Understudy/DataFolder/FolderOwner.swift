import Files

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Lets root work in a data folder of another user's as that user, for as long as the object lives: whatever is made
/// there is then that user's, as its server needs it, and no link that the user has put there leads root anywhere.
///
/// It is about the whole process, for a command that does one thing. Who isn't root stays who it is.
public final class FolderOwner: Sendable {
  /// Who it was before.
  private let group: gid_t
  private let groups: [gid_t]

  /// - Parameter folder: the path of the data folder.
  /// - Returns: nil where this process is to stay who it is.
  /// - Throws: `FileError` where it can't become the owner.
  public init?(of folder: String) throws(FileError) {
    guard geteuid() == 0, let owner = Self.owner(of: folder), owner.user != 0 else { return nil }
    group = getegid()
    var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
    let count = getgroups(Int32(groups.count), &groups)
    self.groups = Array(groups.prefix(Int(max(0, count))))
    guard Self.joinGroups(of: owner), setegid(owner.group) == 0, seteuid(owner.user) == 0 else {
      let error = FileError(folder)
      becomeRoot()
      throw error
    }
    // What leads to the folder can be closed to its owner, as in a copy that root keeps: root alone can use it then.
    if faccessat(AT_FDCWD, folder, R_OK | W_OK | X_OK, AT_EACCESS) != 0, errno == EACCES {
      becomeRoot()
      return nil
    }
  }

  deinit { becomeRoot() }

  private func becomeRoot() {
    let reason = errno
    _ = seteuid(0)
    _ = setegid(group)
    _ = setgroups(groups.count, groups)
    errno = reason
  }

  /// Whose database it is; before there is one, whose folder.
  private static func owner(of folder: String) -> (user: uid_t, group: gid_t)? {
    let database = status(of: folder + "/" + DataFolder.databaseName, followsLink: false)
    return (database ?? status(of: folder)).map { ($0.st_uid, $0.st_gid) }
  }

  private static func joinGroups(of owner: (user: uid_t, group: gid_t)) -> Bool {
    if let name = userName(owner.user) {
      #if canImport(Darwin)
        return initgroups(name, Int32(bitPattern: owner.group)) == 0
      #else
        return initgroups(name, owner.group) == 0
      #endif
    }
    var only = owner.group
    return setgroups(1, &only) == 0
  }
}
