import Embedded
import HTTP

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The pictures that the program carries, each with a number.
final class Drawings: Sendable {
  /// The file names, each at its number: shorter ones first.
  private let names: [EmbeddedBytes]
  /// For each length the number of the first name that is at least so long, up to one more than the longest is.
  private let firstOfLength: [Int]
  private let stems: [String]
  /// What they are answered with.
  let responses: [Response]

  init() {
    let files = (0..<embedded_picture_count()).map(embedded_picture).compactMap { file in
      let (stem, type) = Pictures.split(String(cString: file.name))
      return type.map { (file: file, stem: stem, type: $0) }
    }.sorted { one, other in
      let (length, otherLength) = (strlen(one.file.name), strlen(other.file.name))
      return length == otherLength ? strcmp(one.file.name, other.file.name) < 0 : length < otherLength
    }
    let names = files.map { EmbeddedBytes(start: $0.file.name, count: strlen($0.file.name)) }
    self.names = names
    let longest = names.last?.bytes.count ?? 0
    firstOfLength = (0...longest + 1).map { length in
      names.firstIndex { $0.bytes.count >= length } ?? names.count
    }
    stems = files.map(\.stem)
    responses = files.map {
      let body = Response.Body.embedded(EmbeddedBytes(start: $0.file.bytes, count: Int($0.file.count)))
      return Response(type: $0.type, body: body, caching: .validated(body.etag))
    }
  }

  /// The number of the one with this file name.
  func number(_ name: UnsafeRawBufferPointer) -> Int? {
    guard name.count + 1 < firstOfLength.count else { return nil }
    return (firstOfLength[name.count]..<firstOfLength[name.count + 1]).first {
      names[$0].bytes.isSame(as: name)
    }
  }

  /// The number of the one with this file name, or of one with its stem.
  func number(of name: String, stem: String) -> Int? {
    Array(name.utf8).withUnsafeBytes { number($0) } ?? stems.firstIndex(of: stem)
  }
}
