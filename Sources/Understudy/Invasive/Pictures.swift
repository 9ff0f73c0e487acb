import HTTP
import Threads

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

  private let drawings: Drawings
  private let photographs: Photographs
  private let views: ThreadLocal<View>

  /// What a thread has to itself: no request waits for another one's look into the folder.
  private final class View {
    let folder: PictureFolder
    /// The answers with drawings that were asked for, by their numbers.
    @exclusivity(unchecked) private var answers: [PreparedResponse?]
    private let drawings: Drawings

    init(_ drawings: Drawings, folder: String) {
      self.drawings = drawings
      self.folder = PictureFolder(folder)
      answers = Array(repeating: nil, count: drawings.responses.count)
    }

    /// The drawing whose file name a request has, where there are no photographs.
    func drawing(for request: Request) -> PreparedResponse? {
      guard folder.isEmpty else { return nil }
      var number: Int?
      request.withBytes(ofParameter: "file") { number = drawings.number($0) }
      return number.map(answer)
    }

    func answer(_ number: Int) -> PreparedResponse {
      if let known = answers[number] { return known }
      let answer = PreparedResponse(drawings.responses[number])
      answers[number] = answer
      return answer
    }
  }

  /// - Parameter folder: the path of the data folder's `images`.
  /// - Throws: as `ThreadLocal`.
  init(folder: String) throws(Thread.Exhausted) {
    let drawings = Drawings()
    self.drawings = drawings
    photographs = Photographs(folder: folder)
    views = try ThreadLocal { View(drawings, folder: folder) }
  }

  func addRoutes(to router: inout Router) {
    router.get("/invasive/images/:file") { [self] request in
      try views.withValue { view in
        if view.folder.look() { photographs.forget(allBut: view.folder.all) }
        // Where there are no photographs a species' own URL is all that has to be known.
        return try .prepared(view.drawing(for: request) ?? picture(for: request, view))
      }
    }
  }

  private func picture(for request: Request, _ view: View) throws(Problem) -> PreparedResponse {
    let name = request.parameter("file") ?? ""
    guard let stem = Self.stem(of: name) else { throw Self.missing }
    // Only names that were found in the folder are opened, never what a client wrote.
    if let photograph = photographs.newest(of: view.folder.names(of: stem)) { return photograph }
    guard let number = drawings.number(of: name, stem: stem) else { throw Self.missing }
    return view.answer(number)
  }

  private static var missing: Problem {
    .notFound("There is no such picture. They are called like garlic-mustard.png.")
  }

  /// Whether a text can be the name of a picture in the folder: a name alone, with an extension of a picture's, and
  /// short enough for every file system.
  static func isFileName(_ text: String) -> Bool {
    // Bytes, not characters: a combining mark behind a slash would hide it.
    text.utf8.first != UInt8(ascii: ".") && text.utf8.count <= 200 && split(text).type != nil
      && !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") || $0 == 0 }
  }

  /// A file name's stem, and the media type of its extension; nil where that is no picture's.
  static func split(_ name: String) -> (stem: String, type: String?) {
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
}

extension Application {
  /// Whether a text can be the name of a picture in the data folder's `images`.
  public static func isPictureName(_ text: String) -> Bool { Pictures.isFileName(text) }
}
