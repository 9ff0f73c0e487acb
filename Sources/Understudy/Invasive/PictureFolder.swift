import Files

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The names in the folder of photographs, as of the last look into it, for one thread.
final class PictureFolder {
  // Unchecked for exclusive access: one thread has it, and nothing calls out while it changes.

  private let path: String
  /// File names by stem.
  @exclusivity(unchecked) private var names: [String: [String]] = [:]
  /// The folder that was looked into; -1 where there was none.
  @exclusivity(unchecked) private var descriptor: Int32 = -1
  /// When its entries changed, and when it was itself changed or moved.
  @exclusivity(unchecked) private var changes: Changes?
  @exclusivity(unchecked) private var looked = time_t()

  private struct Changes {
    let modified: timespec
    let changed: timespec
  }

  init(_ path: String) { self.path = path }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether there is no picture in it.
  var isEmpty: Bool { names.isEmpty }

  /// The names of all pictures.
  var all: Set<String> { Set(names.values.joined()) }

  /// The names of the pictures of a stem.
  func names(of stem: String) -> [String] { names[stem] ?? [] }

  /// Looks into the folder, where the last look doesn't hold any more. Asking an open folder what has happened to it
  /// costs a third of finding it by its path.
  ///
  /// - Returns: whether it had to.
  func look() -> Bool {
    if let changes, let now = Self.changes(of: descriptor), isCurrent(changes, now) { return false }
    if descriptor >= 0 { close(descriptor) }
    names = [:]
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    changes = Self.changes(of: descriptor)
    looked = time(nil)
    // Closing the stream closes its descriptor: it gets one of its own.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard let directory = fdopendir(copy) else {
      if copy >= 0 { close(copy) }
      // Not seen: the next request looks again.
      changes = nil
      return true
    }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = entry.name
      let (stem, type) = Pictures.split(name)
      if type != nil { names[stem, default: []].append(name) }
    }
    return true
  }

  private func isCurrent(_ known: Changes, _ now: Changes) -> Bool {
    func isSame(_ one: timespec, _ other: timespec) -> Bool {
      one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec
    }
    // A folder that was changed within the second before the look can have been changed again
    // within the clock's same tick.
    return isSame(known.modified, now.modified) && isSame(known.changed, now.changed)
      && looked > known.modified.tv_sec + 1
  }

  /// Nil where the folder has been removed.
  private static func changes(of descriptor: Int32) -> Changes? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_nlink > 0 else { return nil }
    #if canImport(Darwin)
      return Changes(modified: status.st_mtimespec, changed: status.st_ctimespec)
    #else
      return Changes(modified: status.st_mtim, changed: status.st_ctim)
    #endif
  }
}
