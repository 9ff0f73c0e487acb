import Embedded
import Files
import HTTP
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The pictures of the species: those of the data folder's `images`, and behind them those that the
/// program carries. `<stem>.<any extension>` names the newest picture of that stem, so that a phone
/// that keeps the URL of a drawing for ever gets the photograph that took its place.
final class Pictures: Sendable {
  /// Media types by a file name's extension.
  private static let types = [
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp", "gif": "image/gif",
    "heic": "image/heic",
    "svg": "image/svg+xml",
  ]

  private let folder: String
  /// What the program carries, by file name.
  private let embedded: [String: Embedded]
  /// The file names of what the program carries, by stem.
  private let embeddedNames: [String: String]
  private let listing = Condition(Listing())

  private struct Embedded {
    let stem: String
    let answer: PreparedResponse
  }

  /// The names in the folder, as of one look into it.
  fileprivate struct Listing {
    /// File names by stem.
    var names: [String: [String]] = [:]
    /// The folder that was looked into; -1 where there was none.
    var descriptor: Int32 = -1
    /// When its entries changed, and when it was itself changed or moved.
    var changes: (modified: timespec, changed: timespec)?
    var looked = timespec()
    /// What was sent of the folder, by file name.
    var sent: [String: Photograph] = [:]
  }

  /// A file as it was found, and the answer that all who ask for it share, with one descriptor for all of them.
  fileprivate struct Photograph {
    let version: String
    let answer: PreparedResponse
  }

  /// How many files are kept open for those who ask for them next, with two descriptors each.
  fileprivate static let openFiles = 32

  /// - Parameter folder: the path of the data folder's `images`.
  init(folder: String) {
    self.folder = folder
    var embedded: [String: Embedded] = [:]
    for index in 0..<embedded_picture_count() {
      let file = embedded_picture(index)
      let name = String(cString: file.name)
      let (stem, type) = Self.split(name)
      guard let type else { continue }
      let body = EmbeddedBytes(start: file.bytes, count: Int(file.count))
      embedded[name] = Embedded(
        stem: stem,
        answer: PreparedResponse(Response(type: type, body: .embedded(body), caching: .validated(nil))))
    }
    self.embedded = embedded
    embeddedNames = Dictionary(embedded.map { ($1.stem, $0) }, uniquingKeysWith: { first, _ in first })
  }

  deinit {
    listing.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
  }

  func addRoutes(to router: inout Router) {
    router.get("/invasive/images/:file") { [self] request in
      let missing = Problem.notFound("There is no such picture. They are called like garlic-mustard.png.")
      let name = request.parameter("file") ?? ""
      // A species' own URL is known whole; taking a name apart is for those with another extension.
      guard let stem = embedded[name]?.stem ?? Self.stem(of: name) else { throw missing }
      if let photograph = newest(of: stem) { return .prepared(photograph) }
      guard let picture = embedded[name] ?? embeddedNames[stem].flatMap({ embedded[$0] }) else {
        throw missing
      }
      return .prepared(picture.answer)
    }
  }

  /// Whether a text can be the name of a picture in the folder: a name alone, with an extension of a picture's, and
  /// short enough for every file system.
  static func isFileName(_ text: String) -> Bool {
    // Bytes, not characters: a combining mark behind a slash would hide it.
    text.utf8.first != UInt8(ascii: ".") && text.utf8.count <= 200 && split(text).type != nil
      && !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") || $0 == 0 }
  }

  /// A file name's stem, and the media type of its extension; nil where that is no picture's.
  fileprivate static func split(_ name: String) -> (stem: String, type: String?) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, nil) }
    return (String(name[..<dot]), types[name[name.index(after: dot)...].lowercased()])
  }

  /// The stem of a name with any extension; nil where it has none.
  private static func stem(of name: String) -> String? {
    let stem = split(name).stem
    let rest = name.utf8.dropFirst(stem.utf8.count + 1)
    let isExtension = rest.allSatisfy { byte in
      UnicodeScalar(byte).properties.isAlphabetic && byte < 0x80
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    return rest.isEmpty || !isExtension ? nil : stem
  }

  /// The file of this stem that was changed last; nil where the folder has none.
  private func newest(of stem: String) -> PreparedResponse? {
    // Only names that were found in the folder are opened, never what a client wrote.
    guard let names = listing.withLock({ $0.names(of: stem, in: folder) }) else { return nil }
    // An empty one is a copy that has just begun.
    let files = names.compactMap { name in OpenFile(name, in: folder).map { (name, $0) } }.filter {
      $0.1.size > 0
    }
    guard let (name, file) = files.max(by: { $0.1.modified < $1.1.modified }) else { return nil }
    return listing.withLock { $0.answer(for: name, file) }
  }
}

extension Pictures.Listing {
  /// The names of the pictures of a stem, from the last look into the folder where that still holds. Asking an
  /// open folder what has happened to it costs a third of finding it by its path.
  fileprivate mutating func names(of stem: String, in folder: String) -> [String]? {
    guard let changes, let now = Self.changes(of: descriptor), isCurrent(changes, now) else {
      look(into: folder)
      return names[stem]
    }
    return names[stem]
  }

  /// The answer with a file: the one of those who asked before, where the file is still the same.
  fileprivate mutating func answer(for name: String, _ file: OpenFile) -> PreparedResponse {
    if let known = sent[name], known.version == file.version { return known.answer }
    if sent.count >= Pictures.openFiles { sent = [:] }
    let answer = PreparedResponse(
      Response(type: Pictures.split(name).type, body: .file(file), caching: .validated(nil)))
    sent[name] = Pictures.Photograph(version: file.version, answer: answer)
    return answer
  }

  private func isCurrent(
    _ known: (modified: timespec, changed: timespec), _ now: (modified: timespec, changed: timespec)
  ) -> Bool {
    func isSame(_ one: timespec, _ other: timespec) -> Bool {
      one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec
    }
    // A folder that was changed within the second before the look can have been changed again
    // within the clock's same tick.
    return isSame(known.modified, now.modified) && isSame(known.changed, now.changed)
      && looked.tv_sec > known.modified.tv_sec + 1
  }

  /// Nil where the folder has been removed.
  private static func changes(of descriptor: Int32) -> (modified: timespec, changed: timespec)? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_nlink > 0 else { return nil }
    #if canImport(Darwin)
      return (status.st_mtimespec, status.st_ctimespec)
    #else
      return (status.st_mtim, status.st_ctim)
    #endif
  }

  private mutating func look(into folder: String) {
    if descriptor >= 0 { close(descriptor) }
    names = [:]
    // What has been taken out of the folder isn't held on the disk.
    defer {
      let listed = Set(names.values.joined())
      sent = sent.filter { listed.contains($0.key) }
    }
    descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    changes = Self.changes(of: descriptor)
    clock_gettime(CLOCK_REALTIME, &looked)
    // Closing the stream closes its descriptor: it gets one of its own.
    guard let directory = fdopendir(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = entry.name
      let (stem, type) = Pictures.split(name)
      if type != nil { names[stem, default: []].append(name) }
    }
  }
}

extension Application {
  /// Whether a text can be the name of a picture in the data folder's `images`.
  public static func isPictureName(_ text: String) -> Bool { Pictures.isFileName(text) }
}
