import Files

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Data that are ready, in a folder inside the data folder, to take the place of what is in it.
///
/// The place is taken step by step, and each step is one that can be done again: whoever opens the data folder after
/// one that was killed goes on where it ended.
enum PendingRestore {
  /// What is still being made ready: nobody's, where its maker is gone.
  static let unfinished = ".restore-unfinished"
  /// What is ready; behind it is the moment.
  private static let ready = ".restore-"
  /// Where what was there before is; behind it is the moment.
  static let aside = "before-restore-"

  /// Why what is in the folder can't be kept aside by renaming it.
  enum Obstacle: Error {
    case link(String)
    case disk(String)
  }

  /// Before it is decided: whether everything that what is being made ready takes the place of can be kept aside.
  ///
  /// - Throws: `Obstacle`.
  static func requireReplaceable(in folder: String) throws {
    let new = folder + "/" + unfinished
    for name in databaseFiles + FileArchive.folders {
      let path = folder + "/" + name
      guard let old = status(of: path, followsLink: false),
        exists(new + "/" + (databaseFiles.contains(name) ? DataFolder.databaseName : name))
      else { continue }
      if old.isLink { throw Obstacle.link(path) }
      if old.st_dev != status(of: folder)?.st_dev { throw Obstacle.disk(path) }
    }
  }

  /// The database and its log. A log that is beside the database when that is opened is played back over it: the old
  /// one goes first.
  private static let databaseFiles = ["-wal", "-shm", "-journal", ""].map { DataFolder.databaseName + $0 }

  /// Decides that what is ready are the data of the folder from now on. What is left to do `finish` does.
  ///
  /// - Returns: where what was there before will be, if there was something.
  static func commit(in folder: String) throws(FileError) -> String {
    var time = time(nil)
    // Another one of this second has its place already.
    while exists(folder + "/" + aside + DatedName.moment(time)) { time += 1 }
    let moment = DatedName.moment(time)
    try move(folder + "/" + unfinished, to: folder + "/" + ready + moment)
    return folder + "/" + aside + moment
  }

  /// Finishes what was decided, and removes what never came so far. Only for who has the folder's lock.
  static func finish(in folder: String) throws(FileError) {
    removeTree(folder + "/" + unfinished)
    for name in try names(in: folder) where name.hasPrefix(ready) {
      try takePlace(
        folder + "/" + name, in: folder, aside: folder + "/" + aside + name.dropFirst(ready.count))
    }
  }

  /// Whether data are ready that are in their place once the folder is opened.
  static func isThere(in folder: String) -> Bool {
    ((try? names(in: folder)) ?? []).contains { $0.hasPrefix(ready) && $0 != unfinished }
  }

  private static func takePlace(_ new: String, in folder: String, aside: String) throws(FileError) {
    let database = DataFolder.databaseName
    if exists(new + "/" + database) {
      for name in databaseFiles { try keep(name, of: folder, in: aside) }
      try move(new + "/" + database, to: folder + "/" + database)
    }
    for part in FileArchive.folders where exists(new + "/" + part) {
      // An empty one is nothing to keep.
      if rmdir(folder + "/" + part) != 0 { try keep(part, of: folder, in: aside) }
      try move(new + "/" + part, to: folder + "/" + part)
    }
    guard rmdir(new) == 0 else { throw FileError(new) }
    try syncToDisk(folder)
  }

  private static func keep(_ name: String, of folder: String, in aside: String) throws(FileError) {
    guard exists(folder + "/" + name) else { return }
    guard mkdir(aside, 0o700) == 0 || errno == EEXIST else { throw FileError(aside) }
    try move(folder + "/" + name, to: aside + "/" + name)
  }

  /// Moves something, and has the disk keep that before anything else happens.
  private static func move(_ old: String, to new: String) throws(FileError) {
    guard rename(old, new) == 0 else { throw FileError(new) }
    for path in [old, new] {
      try syncToDisk(Files.folder(of: path))
    }
  }

  private static func exists(_ path: String) -> Bool { status(of: path, followsLink: false) != nil }
}
