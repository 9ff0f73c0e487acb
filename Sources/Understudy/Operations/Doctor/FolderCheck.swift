import Files

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Doctor {
  /// What is so of the data folder and of what is in it.
  var folderFindings: [Finding] {
    guard let status = status(of: folder) else {
      guard errno == ENOENT else { return [unseen(errno, owner: nil)] }
      return [.ok("there is no data folder \(folder) yet: 'understudy serve' makes it")]
    }
    guard status.isFolder else {
      return [.problem("\(folder) is not a folder", "move it away, or choose another folder with --data")]
    }
    guard let owner = dataOwner, mayLook else { return [unseen(EACCES, owner: dataOwner)] }
    return rightsFindings(owner) + databaseFindings + [spaceFinding]
  }

  /// Whose the data are: the folder's owner; in one that is everybody's, as /tmp is and an image's volume, the database's.
  private var dataOwner: uid_t? {
    guard let own = status(of: folder) else { return nil }
    guard own.st_mode & S_ISVTX != 0 else { return own.st_uid }
    return status(of: folder + "/" + DataFolder.databaseName)?.st_uid ?? own.st_uid
  }

  /// Whether this user sees what is in the folder, as its owner and root do.
  var mayLook: Bool {
    guard let owner = dataOwner else { return errno != EACCES }
    return geteuid() == 0 || owner == geteuid()
  }

  private func unseen(_ reason: Int32, owner: uid_t?) -> Finding {
    let text =
      owner.map {
        "the data folder \(folder) is \(userNameOrNumber($0))'s, and this is \(userNameOrNumber(geteuid()))"
      }
      ?? "the data folder \(folder) can't be looked at"
    let sudo = owner.map(sudo(as:)) ?? "sudo"
    return .problem(
      "\(text) (\(String(cString: strerror(reason))))",
      "\(sudo) understudy doctor --data \(folder.shellWord)")
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

  // MARK: Modes and owners

  private func rightsFindings(_ owner: uid_t) -> [Finding] {
    let findings = modeFindings + ownerFindings(owner)
    return findings.isEmpty
      ? [.ok("the data folder \(folder) and what is in it are its owner's alone")] : findings
  }

  /// What of the folder is looked at, and the mode that it is given. A key is only read.
  private static let modes: [(name: String, mode: mode_t, isOnlyRead: Bool)] =
    [("", 0o700, false)]
    + ["", "-wal", "-shm"].map { ("/" + DataFolder.databaseName + $0, 0o600, false) }
    + ["/images", "/tls"].map { ($0, 0o700, false) }
    + ["/tls/ca.key", "/tls/server.pem"].map { ($0, 0o600, true) }

  /// What others can get at, and what its owner can't.
  private var modeFindings: [Finding] {
    Self.modes.compactMap { name, mode, isOnlyRead in
      let path = folder + name
      guard let status = status(of: path) else { return nil }
      let found = String(status.st_mode & 0o777, radix: 8)
      let remedy = "chmod \(String(mode, radix: 8)) \(path.shellWord)"
      let needed = isOnlyRead ? mode & 0o444 : mode
      guard status.st_mode & needed == needed else {
        return .problem(
          "\(path) can't be \(isOnlyRead ? "read" : "changed") by its owner, and so not by the server (mode \(found))",
          remedy)
      }
      // Nobody gets to a folder in one that is closed, and in one that is everybody's nobody can remove another's files.
      guard status.st_mode & 0o077 != 0, name.isEmpty || !status.isFolder, status.st_mode & S_ISVTX == 0
      else { return nil }
      return .problem("\(path) is open to other users of this machine (mode \(found))", remedy)
    }
  }

  /// What somebody else has made there, as root with a command: the server can't change it.
  private func ownerFindings(_ owner: uid_t) -> [Finding] {
    var strangers: [(path: String, owner: uid_t)] = []
    func look(in folder: String) {
      for name in (try? names(in: folder)) ?? [] {
        let path = folder + "/" + name
        guard let status = Files.status(of: path, followsLink: false) else { continue }
        // A file system of its own has that, and root's it is.
        if path == self.folder + "/lost+found" { continue }
        if status.st_uid != owner { strangers.append((path, status.st_uid)) }
        if status.isFolder { look(in: path) }
      }
    }
    look(in: folder)
    guard let first = strangers.first else { return [] }
    let others = strangers.count == 1 ? "" : ", the first of \(strangers.count) such files"
    return [
      .problem(
        "\(first.path) belongs to \(userNameOrNumber(first.owner)) and not to \(userNameOrNumber(owner)), whose the data folder is\(others)",
        "let root run: chown -R \(userName(owner) ?? "\(owner)") \(folder.shellWord)")
    ]
  }
}
