import CSodium
import Files

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The certificate of an authority, for a device that is to trust it.
struct TrustAnchor: Equatable {
  /// The certificate itself (X.690, RFC 5280).
  let der: [UInt8]

  /// Reads the first certificate of a PEM text (RFC 7468); nil where it has none. What else is in the text,
  /// a key perhaps, is left alone.
  init?(pem: [UInt8]) {
    var lines = String(decoding: pem, as: UTF8.self).split(whereSeparator: \.isNewline)[...]
    guard let begin = lines.firstIndex(of: "-----BEGIN CERTIFICATE-----") else { return nil }
    lines = lines[(begin + 1)...]
    guard let end = lines.firstIndex(of: "-----END CERTIFICATE-----") else { return nil }
    guard let der = Self.decoded(lines[..<end].joined()), Self.isSequence(der) else { return nil }
    self.der = der
  }

  /// SHA-256 of the certificate.
  private var digest: [UInt8] { sha256(der) }

  /// Its fingerprint, as `openssl x509 -fingerprint -sha256` and the systems' settings show it.
  var fingerprint: String { digest.map(hexadecimal).joined(separator: ":") }

  /// What tells it from the authority of another server, in a few characters.
  var shortName: String { digest.prefix(4).map(hexadecimal).joined() }

  /// The certificate as Base64 (RFC 4648), 64 characters a line.
  var base64: String {
    var text = [CChar](
      repeating: 0, count: sodium_base64_encoded_len(der.count, sodium_base64_VARIANT_ORIGINAL))
    sodium_bin2base64(&text, text.count, der, der.count, sodium_base64_VARIANT_ORIGINAL)
    let characters = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return stride(from: 0, to: characters.count, by: 64).map {
      String(decoding: characters[$0..<min($0 + 64, characters.count)], as: UTF8.self)
    }.joined(separator: "\n")
  }

  /// The certificate as PEM, and nothing else.
  var pem: String { "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n" }

  /// A UUID that is the same for the same certificate (version 8, RFC 9562, section 5.8).
  ///
  /// - Parameter purpose: what it is a UUID of.
  func uuid(of purpose: String) -> String {
    var bytes = Array(sha256(Array(purpose.utf8) + [0] + der).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map(hexadecimal)
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
  }

  private static func decoded(_ base64: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: base64.utf8.count)
    var count = 0
    let isRead = sodium_base642bin(
      &bytes, bytes.count, base64, base64.utf8.count, nil, &count, nil, sodium_base64_VARIANT_ORIGINAL)
    return isRead == 0 ? Array(bytes[..<count]) : nil
  }

  /// Whether the bytes are one DER sequence, of which a certificate is made, from the first to the last.
  private static func isSequence(_ der: [UInt8]) -> Bool {
    guard der.count > 4, der[0] == 0x30 else { return false }
    guard der[1] & 0x80 != 0 else { return Int(der[1]) == der.count - 2 }
    let size = Int(der[1] & 0x7F)
    guard (1...4).contains(size), der.count > 2 + size else { return false }
    return der[2..<2 + size].reduce(0) { $0 << 8 | Int($1) } == der.count - 2 - size
  }
}

/// SHA-256 (FIPS 180-4).
private func sha256(_ bytes: [UInt8]) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
  crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
  return digest
}

/// A byte as two digits.
private func hexadecimal(_ byte: UInt8) -> String {
  (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
}

/// The PEM file of an authority, which may come, change and go while the server runs.
struct TrustAnchorFile: Sendable {
  /// Where it is.
  let path: String

  /// More than this is no certificate.
  private static let limit = 64 << 10

  /// What is in the file; nil where there is none.
  func read() -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return contents(of: descriptor, limit: Self.limit)
  }
}
