/// The name of a host, as it is typed and as a hosts file, a DNS server and a URL have it (RFC 1123, section 2.1).
public struct HostName: Hashable, Sendable, CustomStringConvertible {
  /// In lower case, without a dot at its end.
  public let description: String

  /// - Parameter text: letters, digits and hyphens in parts of at most 63, at most 253 characters in all;
  ///   nil for anything else, and for an address.
  public init?(_ text: String) {
    let name = text.hasSuffix(".") ? String(text.dropLast()) : text
    let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let hyphen = UInt8(ascii: "-")
    let isName = labels.allSatisfy { label in
      (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
        && label.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), hyphen:
            true
          default: false
          }
        }
    }
    // What ends in a number is an address, or meant to be one.
    let isAddress = labels.last?.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
    guard isName, name.utf8.count <= 253, !isAddress else { return nil }
    description = name.lowercased()
  }
}
