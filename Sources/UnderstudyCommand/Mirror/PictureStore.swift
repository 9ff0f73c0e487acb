import Files
import HTTP
import JSON
import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The pictures that were fetched: in a folder of their own below `images` until the catalogue changes, so that a run
/// that was ended goes on where it was, and with what the other server said of each, so that it needn't send again
/// what hasn't changed. One mirror at a time has it.
///
/// What is shown changes in steps, each of which leaves every species with the picture that belongs to it: a new picture
/// is first there beside the old one, under an interim name (`stage`), which the catalogue takes in one transaction; then
/// it takes its own name (`publish`), which the catalogue takes in another one; then what nobody needs goes (`tidy`).
final class PictureStore {
  /// Why nothing can be kept.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ path: String) { description = "can't write \(path) (\(String(cString: strerror(errno))))" }
    init(reason: String) { description = reason }
  }

  /// What is known of a picture.
  struct Entry {
    let url: String
    let file: String
    /// What the server called this version, and when it changed: as it sent them.
    let etag: String?
    let modified: String?
    let size: Int
    /// Of the bytes, so that a file that somebody has replaced isn't taken for it.
    let digest: String
  }

  private let dataFolder: String
  private var images: String { dataFolder + "/images" }
  private var folder: String { images + "/.mirror" }
  private var index: String { folder + "/index" }
  private var lock: Int32 = -1
  private var entries: [String: Entry] = [:]
  /// What took another name since.
  private var superseded: [Entry] = []

  private static let interimPrefix = "mirrored-"

  /// - Parameter dataFolder: has the folder `images`.
  init(dataFolder: String) throws(Failure) {
    self.dataFolder = dataFolder
    let owner = try asOwner()
    defer { withExtendedLifetime(owner) {} }
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Failure(folder) }
    lock = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard lock >= 0 else { throw Failure(folder) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw Failure(reason: "another mirror is being made in \(images): wait for its end")
    }
    readIndex()
  }

  deinit {
    if lock >= 0 { close(lock) }
  }

  /// What is there of a URL, and still is what was fetched.
  func entry(for url: String) -> Entry? {
    guard let entry = entries[url] else { return nil }
    return isThere(entry, in: folder) || isThere(entry, in: images) ? entry : nil
  }

  /// Whether these are the bytes of a picture that is known.
  static func holds(_ entry: Entry, _ bytes: [UInt8]) -> Bool {
    bytes.count == entry.size && digest(bytes) == entry.digest
  }

  private func isThere(_ entry: Entry, in place: String) -> Bool {
    Self.contents(of: place + "/" + entry.file, size: entry.size).map { Self.holds(entry, $0) } ?? false
  }

  private func note(_ entry: Entry) {
    if let old = entries.updateValue(entry, forKey: entry.url), old.file != entry.file {
      superseded.append(old)
    }
  }

  /// Keeps a picture.
  func keep(_ bytes: [UInt8], of url: String, as file: String, etag: String?, modified: String?)
    throws(Failure)
  {
    let owner = try asOwner()
    defer { withExtendedLifetime(owner) {} }
    try write(bytes, to: folder + "/" + file)
    let entry = Entry(
      url: url, file: file, etag: etag, modified: modified, size: bytes.count, digest: Self.digest(bytes))
    note(entry)
    let descriptor = open(index, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Failure(index) }
    defer { close(descriptor) }
    guard writeAll(Self.line(of: entry), to: descriptor) else { throw Failure(index) }
  }

  // MARK: What is shown

  /// Puts what was fetched of these URLs among the pictures, under names that nothing has yet.
  ///
  /// - Returns: these names, by those that the files get in the end; empty where nothing was fetched.
  func stage(_ urls: Set<String>) throws(Failure) -> [String: String] {
    let owner = try asOwner()
    defer { withExtendedLifetime(owner) {} }
    var interim: [String: String] = [:]
    for entry in entries.values where urls.contains(entry.url) && interim[entry.file] == nil {
      let file = folder + "/" + entry.file
      guard access(file, F_OK) == 0 else { continue }
      let name = Self.interimName(of: entry)
      // What is there already is of an earlier run, and the same.
      if link(file, images + "/" + name) != 0, errno != EEXIST {
        try copy(file, to: images + "/" + name)
      }
      interim[entry.file] = name
    }
    try? syncToDisk(images)
    return interim
  }

  /// Moves what was staged to its own name, which nothing may refer to by then.
  func publish(_ files: some Sequence<String>) throws(Failure) {
    let owner = try asOwner()
    defer { withExtendedLifetime(owner) {} }
    for file in files {
      guard rename(folder + "/" + file, images + "/" + file) == 0 else { throw Failure(images + "/" + file) }
    }
    try? syncToDisk(images)
  }

  /// Removes what was staged, where nothing refers to it.
  func discardInterim() {
    let owner = try? asOwner()
    defer { withExtendedLifetime(owner) {} }
    for name in (try? names(in: images)) ?? [] where Self.isInterim(name) { unlink(images + "/" + name) }
  }

  /// Forgets what isn't of these URLs, and removes what of it is there still as it was fetched.
  func tidy(_ urls: Set<String>) throws(Failure) {
    let owner = try asOwner()
    defer { withExtendedLifetime(owner) {} }
    discardInterim()
    let known = entries.filter { urls.contains($0.key) }
    let files = Set(known.values.map(\.file))
    for entry in superseded + entries.values.filter({ !urls.contains($0.url) })
    where !files.contains(entry.file) {
      if isThere(entry, in: images) { unlink(images + "/" + entry.file) }
    }
    (entries, superseded) = (known, [])
    try write(entries.values.sorted { $0.url < $1.url }.flatMap(Self.line), to: index)
    // What nobody asked for any more.
    for name in (try? names(in: folder)) ?? [] where name != "index" { unlink(folder + "/" + name) }
  }

  /// By what it holds.
  private static func interimName(of entry: Entry) -> String {
    let ending = entry.file.lastIndex(of: ".").map { String(entry.file[$0...]) } ?? ""
    return interimPrefix + entry.digest.filter(\.isHexDigit) + ending
  }

  private static func isInterim(_ name: String) -> Bool {
    let digits = name.dropFirst(interimPrefix.count).prefix { $0 != "." }
    return name.hasPrefix(interimPrefix) && digits.count == 32 && digits.allSatisfy(\.isHexDigit)
  }

  // MARK: Files

  /// What root makes here is the folder's owner's, whose server shows it.
  private func asOwner() throws(Failure) -> FolderOwner? {
    do throws(FileError) { return try FolderOwner(of: dataFolder) } catch {
      throw Failure(reason: "can't work as the owner of \(dataFolder) (\(error.reason))")
    }
  }

  /// For a file system without links.
  private func copy(_ file: String, to path: String) throws(Failure) {
    try put(path) { part throws(FileError) in
      try copyFile(file, to: part)
      try syncToDisk(part)
    }
  }

  /// Writes a file whole, or not at all.
  private func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    try put(path) { part throws(FileError) in try writeNewFile(part, bytes) }
    try? syncToDisk(folder)
  }

  /// Makes a file under another name, and gives it its own in one step.
  private func put(_ path: String, _ make: (_ part: String) throws(FileError) -> Void) throws(Failure) {
    let part = folder + "/.part"
    unlink(part)
    do throws(FileError) {
      try make(part)
    } catch {
      unlink(part)
      throw Failure(reason: "can't write \(path) (\(error.reason))")
    }
    guard rename(part, path) == 0 else { throw Failure(path) }
  }

  /// The bytes of a file of that size; nil where there is none.
  private static func contents(of path: String, size: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.isRegularFile, Int(status.st_size) == size,
      let bytes = Files.contents(of: descriptor, limit: size), bytes.count == size
    else { return nil }
    return bytes
  }

  private static func digest(_ bytes: [UInt8]) -> String {
    bytes.withUnsafeBytes { ETag(of: $0).text }
  }

  // MARK: The index

  /// A line that was torn when a run was ended counts for nothing.
  private func readIndex() {
    var status = stat()
    guard stat(index, &status) == 0, status.st_size < 64 << 20,
      let bytes = Self.contents(of: index, size: Int(status.st_size))
    else { return }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let object = try? JSONReader.object(in: Array(line)) else { continue }
      let (url, file) = (object.text("url"), object.text("file"))
      guard !url.isEmpty, Application.isPictureName(file) else { continue }
      func text(_ name: String) -> String? { object[name] == nil ? nil : object.text(name) }
      note(
        Entry(
          url: url, file: file, etag: text("etag"), modified: text("modified"),
          size: Int(object.number("size")), digest: object.text("digest")))
    }
  }

  private static func line(of entry: Entry) -> [UInt8] {
    let line = ByteBuffer(capacity: 512)
    line.append("{\"url\":" as StaticString)
    line.append(jsonString: entry.url)
    line.append(",\"file\":" as StaticString)
    line.append(jsonString: entry.file)
    for (name, value) in [("etag", entry.etag), ("modified", entry.modified), ("digest", entry.digest)] {
      guard let value else { continue }
      line.append(nextMember: name)
      line.append(jsonString: value)
    }
    line.append(",\"size\":" as StaticString)
    line.append(Int64(entry.size))
    line.append("}\n" as StaticString)
    return Array(line.bytes)
  }
}
