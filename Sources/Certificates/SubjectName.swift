import CGnuTLS

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a certificate is for: a host's name, or an address.
public enum SubjectName: Hashable, Sendable, CustomStringConvertible {
  /// In lower case, without a dot at the end; in a certificate that is there it may be anything, as `*.example`.
  case host(String)
  /// The 4 or 16 bytes, in network order.
  case address([UInt8])

  /// Reads a `HostName` or an address; nil where the text is neither. An IPv6 address may stand in brackets.
  public init?(_ text: String) {
    guard !text.utf8.contains(0) else { return nil }
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
    let bare = isBracketed ? String(text.dropFirst().dropLast()) : text
    var four = in_addr()
    var six = in6_addr()
    if !isBracketed, inet_pton(AF_INET, bare, &four) == 1 {
      self = .address(withUnsafeBytes(of: four) { Array($0) })
    } else if inet_pton(AF_INET6, bare, &six) == 1 {
      self = .address(withUnsafeBytes(of: six) { Array($0) })
    } else {
      guard !isBracketed, let name = HostName(text) else { return nil }
      self = .host(name.description)
    }
  }

  /// As it is typed, an address without brackets.
  public var description: String {
    switch self {
    case .host(let name): return name
    case .address(let bytes):
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
      return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  /// The host's name; nil for an address.
  public var hostName: String? {
    if case .host(let name) = self { name } else { nil }
  }

  /// As it stands in a URL, an IPv6 address in brackets.
  public var urlHost: String {
    if case .address(let bytes) = self, bytes.count == 16 { return "[\(self)]" }
    return description
  }

  /// What GnuTLS calls the kind of it.
  var type: gnutls_x509_subject_alt_name_t {
    switch self {
    case .host: GNUTLS_SAN_DNSNAME
    case .address: GNUTLS_SAN_IPADDRESS
    }
  }

  /// The bytes that a certificate has of it.
  var bytes: [UInt8] {
    switch self {
    case .host(let name): Array(name.utf8)
    case .address(let bytes): bytes
    }
  }
}
