import HTTP
import Threads

/// The files of the folder of photographs that were sent, and the answer that all who ask for one share, with one
/// descriptor for all of them.
final class Photographs: Sendable {
  private struct Photograph {
    let version: String
    let answer: PreparedResponse
  }

  /// How many files are kept open for those who ask for them next, with two descriptors each.
  private static let openFiles = 32

  private let folder: String
  /// By file name.
  private let sent = Condition<[String: Photograph]>([:])

  init(folder: String) { self.folder = folder }

  /// The one of these files that was changed last; nil where there is none.
  func newest(of names: [String]) -> PreparedResponse? {
    // An empty one is a copy that has just begun.
    let files = names.compactMap { name in OpenFile(name, in: folder).map { (name, $0) } }.filter {
      $0.1.size > 0
    }
    guard let (name, file) = files.max(by: { $0.1.modified < $1.1.modified }) else { return nil }
    return sent.withLock { sent in
      if let known = sent[name], known.version == file.version { return known.answer }
      if sent.count >= Self.openFiles { sent = [:] }
      let answer = PreparedResponse(
        Response(type: Pictures.split(name).type, body: .file(file), caching: .validated(nil)))
      sent[name] = Photograph(version: file.version, answer: answer)
      return answer
    }
  }

  /// Lets go of all files but these: what has been taken out of the folder isn't held on the disk.
  func forget(allBut names: Set<String>) {
    sent.withLock { sent in
      if !sent.isEmpty { sent = sent.filter { names.contains($0.key) } }
    }
  }
}
