/// The host and optional port that a Host header or an absolute target names (RFC 3986, section 3.2,
/// without user information).
public enum Authority {
  /// Whether the bytes are a registered name, an IPv4 address or an IPv6 address in brackets, with
  /// an optional port.
  static func isValid(_ text: UnsafeRawBufferPointer) -> Bool {
    isValid(ArraySlice(text))
  }

  /// As above, of bytes of our own.
  public static func isValid(_ text: ArraySlice<UInt8>) -> Bool {
    let host: ArraySlice<UInt8>
    if text.first == UInt8(ascii: "[") {
      guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return false }
      host = text[...end]
      let address = String(decoding: host.dropFirst().dropLast(), as: UTF8.self)
      guard address.contains(":"), IPAddress(address) != nil else { return false }
    } else {
      host = text[..<(text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex)]
      guard !host.isEmpty, host.count <= 255, host.allSatisfy(isNameCharacter),
        host.contains(where: { $0 != UInt8(ascii: ".") })
      else { return false }
    }
    var port = text[host.endIndex...]
    guard !port.isEmpty else { return true }
    guard port.removeFirst() == UInt8(ascii: ":") else { return false }
    guard !port.isEmpty else { return true }
    guard port.count <= 5, let number = Int(String(decoding: port, as: UTF8.self)) else { return false }
    return port.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && number <= 65_535
  }

  /// Letters, digits, and what else host names on a network have. The grammar of RFC 3986 also
  /// knows quotes and brackets, which would only be of use to someone who wants them in a page.
  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
