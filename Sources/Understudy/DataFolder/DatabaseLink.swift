import Files

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A database file that others can have by another name, and so at the same time: the lock is the folder's. What a
/// server that was killed has not yet written into the file, too, lies beside the one name alone.
enum DatabaseLink: Equatable, Sendable {
  /// A symbolic link, and where it leads to; nil where nothing is there.
  case symbolic(String?)
  /// The file has so many names.
  case hard(Int)

  /// - Returns: nil for a file of one name, and for none.
  init?(at path: String) {
    guard let status = status(of: path, followsLink: false) else { return nil }
    if status.isLink {
      self = .symbolic(resolved(path))
    } else if status.isRegularFile, status.st_nlink > 1 {
      self = .hard(Int(status.st_nlink))
    } else {
      return nil
    }
  }

  /// What it is, in words.
  var description: String {
    switch self {
    case .symbolic(nil): "is a link to what isn't there"
    case .symbolic(let target?):
      "is a link to \(target), and a server by another folder could have that file too"
    case .hard(let names):
      "is a file with \(names) names (hard links), and a server by another folder could have it too"
    }
  }

  /// What to do about it.
  func remedy(for path: String) -> String {
    switch self {
    case .symbolic(nil):
      "remove it; for data on another disk let --data name a folder there, or be a link to one"
    case .symbolic(let target?):
      "move \(target.shellWord) here, and what is beside it with -wal behind its name; for data on another disk let --data name a folder there, or be a link to one"
    case .hard:
      "remove the other names, or give this folder a copy: cp -p \(path.shellWord) \((path + ".copy").shellWord) && mv \((path + ".copy").shellWord) \(path.shellWord)"
    }
  }
}
