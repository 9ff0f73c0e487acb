import Embedded
import HTTP

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The pictures that the program carries, each with a number.
final class Drawings: Sendable {
  /// The file names in the order of their bytes, each at its number.
  private let names: [EmbeddedBytes]
  private let stems: [String]
  /// What they are answered with.
  let responses: [Response]

  init() {
    let files = (0..<embedded_picture_count()).map(embedded_picture).compactMap { file in
      let (stem, type) = Pictures.split(String(cString: file.name))
      return type.map { (file: file, stem: stem, type: $0) }
    }.sorted { strcmp($0.file.name, $1.file.name) < 0 }
    names = files.map { EmbeddedBytes(start: $0.file.name, count: strlen($0.file.name)) }
    stems = files.map(\.stem)
    responses = files.map {
      let body = Response.Body.embedded(EmbeddedBytes(start: $0.file.bytes, count: Int($0.file.count)))
      return Response(type: $0.type, body: body, caching: .validated(body.etag))
    }
  }

  /// The number of the one with this file name.
  func number(_ name: UnsafeRawBufferPointer) -> Int? {
    var (low, high) = (0, names.count)
    while low < high {
      let middle = (low + high) / 2
      let known = names[middle].bytes
      guard let start = name.baseAddress, let knownStart = known.baseAddress else { return nil }
      var order = memcmp(start, knownStart, min(name.count, known.count))
      if order == 0 { order = Int32(clamping: name.count - known.count) }
      if order == 0 { return middle }
      if order < 0 { high = middle } else { low = middle + 1 }
    }
    return nil
  }

  /// The number of the one with this file name, or of one with its stem.
  func number(of name: String, stem: String) -> Int? {
    Array(name.utf8).withUnsafeBytes { number($0) } ?? stems.firstIndex(of: stem)
  }
}
