import HTTPClient
import Understudy

/// The pictures of another server's species: which there are, what they are called here, and fetching them.
///
/// A name is the one that the other server's URL ends with, for phones that keep that URL; where that is no name for
/// a file here, or another picture's, it is `species-7`. What is before the extension is one picture's alone: a picture
/// is found by it whatever the extension.
struct MirroredPictures {
  /// The most bytes of a picture, and of all together.
  private static let (limit, totalLimit) = (20 << 20, 2 << 30)

  private struct Picture {
    let address: WebAddress
    let stem: String
    /// As the URL has it; empty for one that is no picture's.
    let fileExtension: String
    /// The first species that has it, as a sentence names it.
    let species: String
    /// What it is called here, once that is known.
    var file: String?
  }

  private let server: MirroredServer
  private let progress: Progress
  private var pictures: [Picture] = []
  private var byURL: [String: Int] = [:]
  private var stems: Set<String> = []

  /// What was done, for those who want to know.
  private(set) var fetched = 0
  private(set) var kept = 0
  /// Pictures that the server hasn't: a sentence for each.
  private(set) var missing: [String] = []

  init(of server: MirroredServer, progress: Progress) {
    self.server = server
    self.progress = progress
  }

  /// Takes note of a species' picture.
  ///
  /// - Returns: its number, for `image(_:)`; nil where it isn't this server's, and stays where it is.
  mutating func add(_ image: String, of id: Int64) -> Int? {
    guard let base = WebAddress("/invasive/species", relativeTo: server.base),
      let address = WebAddress(image, relativeTo: base), isOfServer(address)
    else { return nil }
    // Asked of the server that is mirrored, whatever it calls itself.
    let url = server.base.origin + address.target
    if let known = byURL[url] { return known }
    let (stem, fileExtension) = name(for: address, id)
    stems.insert(stem.lowercased())
    pictures.append(
      Picture(address: address, stem: stem, fileExtension: fileExtension, species: "species \(id)"))
    byURL[url] = pictures.count - 1
    return pictures.count - 1
  }

  /// Another Understudy may call itself by another name, behind a proxy say.
  private func isOfServer(_ address: WebAddress) -> Bool {
    address.host == server.base.host || address.target.hasPrefix("/invasive/images/")
  }

  private func name(for address: WebAddress, _ id: Int64) -> (stem: String, fileExtension: String) {
    let name = address.fileName
    let isPlain = name.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
    }
    var (stem, fileExtension) = (name, "")
    if let dot = name.lastIndex(of: ".") {
      (stem, fileExtension) = (String(name[..<dot]), name[name.index(after: dot)...].lowercased())
    }
    if !isPlain || stem.isEmpty || stem.hasPrefix(".") || stem.utf8.count > 100
      || stems.contains(stem.lowercased())
    {
      stem = "species-\(id)"
      while stems.contains(stem.lowercased()) { stem += "-" }
    }
    let isPictures = PictureType.allCases.contains { $0.extensions.contains(fileExtension) }
    return (stem, isPictures ? fileExtension : "")
  }

  /// The name of a picture that was fetched, or is missing: then somebody can still put one there.
  func image(_ number: Int) -> String {
    let picture = pictures[number]
    return picture.file ?? picture.stem + "."
      + (picture.fileExtension.isEmpty ? "png" : picture.fileExtension)
  }

  /// The URLs of what is there.
  var urls: Set<String> { Set(pictures.filter { $0.file != nil }.map { url($0) }) }

  /// Those of what the server hasn't, too: it may have it again.
  var allURLs: Set<String> { Set(pictures.map { url($0) }) }

  private func url(_ picture: Picture) -> String { server.base.origin + picture.address.target }

  // MARK: Fetching

  /// Fetches what isn't there yet, or has changed.
  mutating func fetch(into store: PictureStore) throws {
    var total = 0
    for number in pictures.indices {
      progress.show("pictures: \(number) of \(pictures.count)")
      do {
        total += try fetch(number, into: store)
      } catch let failure as MirroredServer.Failure where failure.status == 404 || failure.status == 410 {
        missing.append("\(failure): \(pictures[number].species) has no picture")
      }
      guard total <= Self.totalLimit else {
        throw MirroredServer.Failure(
          description:
            "the pictures have more than \(Self.totalLimit >> 20) MiB together: that is no catalogue")
      }
    }
  }

  /// - Returns: how many bytes came.
  private mutating func fetch(_ number: Int, into store: PictureStore) throws -> Int {
    let picture = pictures[number]
    let url = url(picture)
    let known = store.entry(for: url).flatMap { $0.file.hasPrefix(picture.stem + ".") ? $0 : nil }
    if let known, known.etag == nil, known.modified == nil {
      // A server that gives its versions no name: then the length has to do.
      if try length(of: picture) == "\(known.size)" { return keep(known, number) }
    }
    var conditions: [(name: String, value: String)] = []
    if let etag = known?.etag {
      conditions.append(("If-None-Match", etag))
    } else if let modified = known?.modified {
      conditions.append(("If-Modified-Since", modified))
    }
    let answer = try server.ask("GET", picture.address.target, fields: conditions, limit: Self.limit)
    let isUnnamed = answer["ETag"] == nil && answer["Last-Modified"] == nil
    if let known, answer.status == 304 || isUnnamed && PictureStore.holds(known, answer.body) {
      return keep(known, number)
    }
    let type = try Self.type(of: answer, url)
    let isNamedSo = type.extensions.contains(picture.fileExtension)
    let file = picture.stem + "." + (isNamedSo ? picture.fileExtension : type.extensions[0])
    try store.keep(
      answer.body, of: url, as: file, etag: Self.short(answer["ETag"]),
      modified: Self.short(answer["Last-Modified"]))
    pictures[number].file = file
    fetched += 1
    return answer.body.count
  }

  /// What the server says of a picture's length; nil where it says nothing. Not every server answers HEAD: what is wrong
  /// with more than that GET shows.
  private func length(of picture: Picture) throws(MirroredServer.Failure) -> String? {
    do throws(MirroredServer.Failure) {
      return try server.ask("HEAD", picture.address.target, limit: Self.limit)["Content-Length"]
    } catch {
      guard let status = error.status, ![429, 503].contains(status) else { throw error }
      return nil
    }
  }

  private mutating func keep(_ known: PictureStore.Entry, _ number: Int) -> Int {
    pictures[number].file = known.file
    kept += 1
    return 0
  }

  /// A field that can be sent back one day.
  private static func short(_ field: String?) -> String? {
    field.flatMap { text in
      text.utf8.count <= 200 && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? text : nil
    }
  }

  /// What kind of picture an answer is, by what it says and by what it is.
  private static func type(of answer: HTTPClient.Response, _ url: String) throws -> PictureType {
    let declared = (answer["Content-Type"] ?? "").prefix { $0 != ";" }.lowercased()
    let mayBePicture =
      declared.isEmpty || declared == "application/octet-stream" || declared.hasPrefix("image/")
    guard mayBePicture, let type = PictureType(answer.body) else {
      let kind = declared.isEmpty ? "" : " (\(declared.printable.prefix(60)))"
      throw MirroredServer.Failure(
        description: "\(url): it sends no picture\(kind): PNG, JPEG, GIF, WebP and HEIC are taken")
    }
    // Where a length was told, libcurl has seen to it.
    let isMeasured = answer["Content-Length"] != nil || answer["Transfer-Encoding"] != nil
    guard isMeasured || type.isWhole(answer.body) else {
      throw MirroredServer.Failure(description: "\(url): the picture ends in the middle")
    }
    return type
  }
}
