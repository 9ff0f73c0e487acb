#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An IPv4 or IPv6 address. IPv4 is kept in its IPv6 form (`::ffff:0:0/96`, RFC 4291, section
/// 2.5.5.2), so that a client of a dual-stack socket is the same as one of an IPv4 socket.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

  /// The sixteen bytes, in network order.
  public let bytes: [UInt8]

  /// `::`
  static let unspecified = IPAddress()

  private init() { bytes = [UInt8](repeating: 0, count: 16) }

  /// Reads an address in text, without a port or brackets; nil where it is none.
  public init?(_ text: String) {
    // The calls below take C strings, which end at a NUL.
    guard !text.utf8.contains(0) else { return nil }
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = Self.mapped + withUnsafeBytes(of: four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      bytes = withUnsafeBytes(of: six) { Array($0) }
    } else {
      return nil
    }
  }

  /// Reads the address of a socket; nil for families other than IPv4 and IPv6.
  init?(_ address: UnsafePointer<sockaddr>) {
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      let four = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
      bytes = Self.mapped + withUnsafeBytes(of: four.sin_addr) { Array($0) }
    case AF_INET6:
      let six = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
      bytes = withUnsafeBytes(of: six.sin6_addr) { Array($0) }
    default: return nil
    }
  }

  /// Whether it is an IPv4 address, in its IPv6 form.
  public var isIPv4: Bool { bytes.starts(with: Self.mapped) }

  /// Whether it is this machine itself (`127.0.0.0/8`, `::1`).
  public var isLoopback: Bool {
    isIPv4 ? bytes[12] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
  }

  /// Whether the address only means something together with an interface (`fe80::/10`).
  public var isLinkLocal: Bool {
    isIPv4 ? bytes[12] == 169 && bytes[13] == 254 : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
  }

  /// The network that one customer of a provider has: the address itself for IPv4, its /64 for IPv6.
  public var network: ArraySlice<UInt8> { isIPv4 ? bytes[...] : bytes[..<8] }

  /// The address as it is written (RFC 5952 for IPv6), without brackets.
  public var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    if isIPv4 {
      _ = inet_ntop(AF_INET, Array(bytes[12...]), &text, socklen_t(text.count))
    } else {
      _ = inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count))
    }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The address as a URL's host: IPv6 in brackets.
  public var urlHost: String { isIPv4 ? description : "[\(description)]" }
}

/// A range of addresses, written as `192.168.0.0/16` or as an address alone (RFC 4632).
public struct AddressRange: Hashable, Sendable {
  private let address: IPAddress
  /// How many leading bits count, of 128.
  private let bits: Int

  /// Reads a range; nil where the text is none.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = IPAddress(String(parts[0])) else { return nil }
    let width = address.isIPv4 ? 32 : 128
    guard let bits = parts.count == 2 ? Self.digits(parts[1]) : width, (0...width).contains(bits) else {
      return nil
    }
    self.address = address
    self.bits = bits + 128 - width
  }

  private static func digits(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
  }

  /// Whether an address is in the range.
  public func contains(_ other: IPAddress) -> Bool {
    for index in 0..<16 {
      let counting = min(max(bits - index * 8, 0), 8)
      let mask = UInt8(truncatingIfNeeded: 0xFF00 >> counting)
      if (address.bytes[index] ^ other.bytes[index]) & mask != 0 { return false }
    }
    return true
  }
}
