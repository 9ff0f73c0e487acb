import Embedded
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
    var folderTime = timespec()
    var looked = timespec()
  }

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

  func addRoutes(to router: inout Router) {
    router.get("/invasive/images/:file") { [self] request in
      let missing = Problem.notFound("There is no such picture. They are called like garlic-mustard.png.")
      let name = request.parameter("file") ?? ""
      // A species' own URL is known whole; taking a name apart is for those with another extension.
      guard let stem = embedded[name]?.stem ?? Self.stem(of: name) else { throw missing }
      if let file = newest(of: stem) { return .now(file) }
      guard let picture = embedded[name] ?? embeddedNames[stem].flatMap({ embedded[$0] }) else {
        throw missing
      }
      return .prepared(picture.answer)
    }
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
  private func newest(of stem: String) -> Response? {
    // Only names that were found in the folder are opened, never what a client wrote.
    guard let time = Self.changeTime(of: folder),
      let names = listing.withLock({ $0.names(of: stem, in: folder, changed: time) })
    else { return nil }
    // An empty one is a copy that has just begun.
    let files = names.compactMap { name in OpenFile(name, in: folder).map { (name, $0) } }.filter {
      $0.1.size > 0
    }
    guard let (name, file) = files.max(by: { $0.1.modified < $1.1.modified }) else { return nil }
    return Response(type: Self.split(name).type, body: .file(file), caching: .validated(nil))
  }

  /// When a folder's entries changed last; nil where it isn't there.
  private static func changeTime(of folder: String) -> timespec? {
    var status = stat()
    guard stat(folder, &status) == 0 else { return nil }
    #if canImport(Darwin)
      return status.st_mtimespec
    #else
      return status.st_mtim
    #endif
  }
}

extension Pictures.Listing {
  /// The names of the pictures of a stem, from the last look into the folder where that still holds.
  ///
  /// - Parameter time: when the folder changed last.
  fileprivate mutating func names(of stem: String, in folder: String, changed time: timespec) -> [String]? {
    // A folder that was changed within the second before the look can have been changed again
    // within the clock's same tick.
    let isCurrent =
      time.tv_sec == folderTime.tv_sec && time.tv_nsec == folderTime.tv_nsec
      && looked.tv_sec > folderTime.tv_sec + 1
    if !isCurrent { look(into: folder, changed: time) }
    return names[stem]
  }

  private mutating func look(into folder: String, changed time: timespec) {
    names = [:]
    folderTime = time
    clock_gettime(CLOCK_REALTIME, &looked)
    guard let directory = opendir(folder) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      let (stem, type) = Pictures.split(name)
      if type != nil { names[stem, default: []].append(name) }
    }
  }
}
