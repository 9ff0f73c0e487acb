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

  private let images: String
  private var folder: String { images + "/.mirror" }
  private var index: String { folder + "/index" }
  private var lock: Int32 = -1
  private(set) var entries: [String: Entry] = [:]

  /// - Parameter images: the data folder's pictures.
  init(images: String) throws(Failure) {
    self.images = images
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
    for place in [folder, images] {
      if let bytes = Self.contents(of: place + "/" + entry.file, size: entry.size),
        Self.digest(bytes) == entry.digest
      {
        return entry
      }
    }
    return nil
  }

  /// Keeps a picture.
  func keep(_ bytes: [UInt8], of url: String, as file: String, etag: String?, modified: String?)
    throws(Failure)
  {
    try write(bytes, to: folder + "/" + file)
    let entry = Entry(
      url: url, file: file, etag: etag, modified: modified, size: bytes.count, digest: Self.digest(bytes))
    entries[url] = entry
    let descriptor = open(index, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Failure(index) }
    defer { close(descriptor) }
    guard writeAll(Self.line(of: entry), to: descriptor) else { throw Failure(index) }
  }

  /// Moves what was fetched to where it is served from, and forgets what isn't of these URLs.
  func publish(_ urls: Set<String>) throws(Failure) {
    entries = entries.filter { urls.contains($0.key) }
    for file in Set(entries.values.map(\.file)) {
      // What is there already has nothing waiting.
      guard rename(folder + "/" + file, images + "/" + file) == 0 || errno == ENOENT else {
        throw Failure(images + "/" + file)
      }
    }
    try? syncToDisk(images)
    let lines = entries.values.sorted { $0.url < $1.url }.flatMap(Self.line)
    try write(lines, to: index)
    // What nobody asked for any more.
    for name in (try? names(in: folder)) ?? [] where name != "index" { unlink(folder + "/" + name) }
  }

  // MARK: Files

  /// Writes a file whole, or not at all.
  private func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let part = folder + "/.part"
    unlink(part)
    do throws(FileError) {
      try writeNewFile(part, bytes)
    } catch {
      unlink(part)
      throw Failure(reason: "can't write \(path) (\(error.reason))")
    }
    guard rename(part, path) == 0 else { throw Failure(path) }
    try? syncToDisk(folder)
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
      entries[url] = Entry(
        url: url, file: file, etag: text("etag"), modified: text("modified"),
        size: Int(object.number("size")),
        digest: object.text("digest"))
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
      line.append(UInt8(ascii: ","))
      line.append(jsonString: name)
      line.append(UInt8(ascii: ":"))
      line.append(jsonString: value)
    }
    line.append(",\"size\":" as StaticString)
    line.append(Int64(entry.size))
    line.append("}\n" as StaticString)
    return Array(line.bytes)
  }
}
