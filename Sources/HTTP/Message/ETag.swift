import CSodium

/// A strong entity tag (RFC 9110, section 8.8.3).
public struct ETag: Sendable, Equatable {
  /// The tag with its quotes.
  public let text: String

  /// The tag of these bytes: BLAKE2b of 128 bits, by which no two bodies are found that share one.
  public init(of bytes: UnsafeRawBufferPointer) {
    var hash = [UInt8](repeating: 0, count: 16)
    crypto_generichash(
      &hash, hash.count, bytes.bindMemory(to: UInt8.self).baseAddress, UInt64(bytes.count), nil, 0)
    text = Self.quote(hash)
  }

  /// The tag of a thing that says of itself when it has changed.
  public init(version: String) {
    var version = version
    self = version.withUTF8 { ETag(of: UnsafeRawBufferPointer($0)) }
  }

  private static func quote(_ hash: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: 34) { text in
      text[0] = UInt8(ascii: "\"")
      for (index, byte) in hash.enumerated() {
        text[1 + 2 * index] = hexDigit(byte >> 4)
        text[2 + 2 * index] = hexDigit(byte & 15)
      }
      text[33] = UInt8(ascii: "\"")
      return 34
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  /// Whether an If-None-Match names this tag, compared weakly (RFC 9110, section 13.1.2).
  func matches(_ ifNoneMatch: UnsafeRawBufferPointer) -> Bool {
    if ifNoneMatch.equals("*") { return true }
    return ifNoneMatch.split(separator: UInt8(ascii: ",")).contains { listed in
      var tag = UnsafeRawBufferPointer(rebasing: listed).trimmed
      if tag.starts(with: "W/".utf8) { tag = UnsafeRawBufferPointer(rebasing: tag.dropFirst(2)) }
      return tag.elementsEqual(text.utf8)
    }
  }
}
