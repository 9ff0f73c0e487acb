import Files
import JSON
import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where passwords that are made up are written, before they count: so none is ever lost. Standard output, or a file of
/// its own that only its owner can read.
struct PasswordSheet {
  /// The path; nil for standard output.
  let file: String?

  /// - Throws: `ControlClient.Failure` where something has the file's name already.
  func requireFree() throws(ControlClient.Failure) {
    guard let file, access(file, F_OK) == 0 else { return }
    throw isThere(file)
  }

  /// Writes the passwords as a table that `users add --csv` reads again, or one alone for its reader.
  ///
  /// - Parameter isTable: whether it is a table on standard output too.
  /// - Throws: `ControlClient.Failure` where they aren't all there.
  func write(_ users: [(name: String, password: String)], isTable: Bool) throws(ControlClient.Failure) {
    let text = ByteBuffer(capacity: 256)
    if file == nil, !isTable {
      for user in users { text.append("password for \(user.name.printable): \(user.password)\n") }
    } else {
      text.append("name,password\n" as StaticString)
      for user in users {
        text.append(csvField: Formula.defused(user.name))
        text.append(",\(user.password)\n")
      }
    }
    guard let file else {
      guard let reason = Output.keep(Array(text.bytes)) else { return }
      throw ControlClient.Failure(
        description:
          "can't write the passwords to standard output (\(String(cString: strerror(reason)))): nothing was changed, and those that were written are of no use"
      )
    }
    do throws(FileError) {
      try writeNewFile(file, Array(text.bytes))
      try syncToDisk(folder(of: file))
    } catch {
      guard error.number != EEXIST else { throw isThere(file) }
      unlink(file)
      throw ControlClient.Failure(
        description: "can't write the passwords to \(file) (\(error.reason)): nothing was changed")
    }
  }

  /// Says, or sees to it, that what was written is of no use.
  ///
  /// - Returns: what has to be said beside the reason.
  func takeBack() -> String {
    guard let file else { return "nothing was changed: the passwords that were printed are of no use" }
    unlink(file)
    return "nothing was changed, and \(file) is removed"
  }

  private func isThere(_ file: String) -> ControlClient.Failure {
    ControlClient.Failure(
      description: "\(file) is there already: say with --output where there is nothing yet")
  }
}
