import CGnuTLS

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An X.509 certificate (RFC 5280).
public final class Certificate: @unchecked Sendable {
  // Safe to share: nothing changes the object of GnuTLS's once it is made.
  let pointer: gnutls_x509_crt_t

  /// An empty one, to be filled in.
  init() throws(CertificateError) {
    var pointer: gnutls_x509_crt_t?
    try CertificateError.check(gnutls_x509_crt_init(&pointer))
    guard let pointer else { throw .failed("no memory") }
    self.pointer = pointer
  }

  /// Takes one over from GnuTLS.
  private init(owning pointer: gnutls_x509_crt_t) { self.pointer = pointer }

  deinit {
    gnutls_x509_crt_deinit(pointer)
  }

  /// Reads the certificates of a PEM file.
  ///
  /// - Parameter path: where the text is from, for the error.
  /// - Throws: `noCertificate` where there is none, or one is damaged.
  static func all(pem: [UInt8], path: String) throws(CertificateError) -> [Certificate] {
    var list: UnsafeMutablePointer<gnutls_x509_crt_t?>?
    var count: UInt32 = 0
    let status = withDatum(pem) {
      gnutls_x509_crt_list_import2(&list, &count, &$0, GNUTLS_X509_FMT_PEM, 0)
    }
    guard status >= 0, let list else { throw .noCertificate(path) }
    defer { gnutls_release(list) }
    return (0..<Int(count)).compactMap { list[$0].map(Certificate.init(owning:)) }
  }

  /// Reads the first certificate of a PEM file; nil where there is none.
  public static func first(in path: String) throws(CertificateError) -> Certificate? {
    try all(pem: readFile(path), path: path).first
  }

  /// The certificate in PEM.
  public var pem: [UInt8] {
    get throws(CertificateError) {
      var text = gnutls_datum_t()
      try CertificateError.check(gnutls_x509_crt_export2(pointer, GNUTLS_X509_FMT_PEM, &text))
      return take(text)
    }
  }

  /// The certificate's bytes, DER.
  public var der: [UInt8] {
    get throws(CertificateError) {
      var bytes = gnutls_datum_t()
      try CertificateError.check(gnutls_x509_crt_export2(pointer, GNUTLS_X509_FMT_DER, &bytes))
      return take(bytes)
    }
  }

  /// Whose it is.
  public var commonName: String {
    var name = [UInt8](repeating: 0, count: 256)
    var count = name.count
    let status = gnutls_x509_crt_get_dn_by_oid(pointer, GNUTLS_OID_X520_COMMON_NAME, 0, 0, &name, &count)
    guard status >= 0 else { return "" }
    // As it is written in a distinguished name, with backslashes before commas (RFC 4514, section 2.4).
    return String(decoding: name[..<count].filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self)
  }

  /// The SHA-256 of the whole, as people compare it: `AB:CD:…`.
  public var fingerprint: String {
    var bytes = [UInt8](repeating: 0, count: 32)
    var count = bytes.count
    guard gnutls_x509_crt_get_fingerprint(pointer, GNUTLS_DIG_SHA256, &bytes, &count) >= 0 else { return "" }
    let digits = Array("0123456789ABCDEF")
    return bytes.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined(separator: ":")
  }

  /// The first second of the epoch at which it is valid.
  public var start: Int { gnutls_x509_crt_get_activation_time(pointer) }

  /// The last second of the epoch at which it is valid.
  public var end: Int { gnutls_x509_crt_get_expiration_time(pointer) }

  /// What it is for: the names and addresses of its subjectAltName.
  public var names: [SubjectName] {
    var names: [SubjectName] = []
    for index in UInt32(0)... {
      var bytes = [UInt8](repeating: 0, count: 512)
      var count = bytes.count
      let type = gnutls_x509_crt_get_subject_alt_name(pointer, index, &bytes, &count, nil)
      guard type != GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE else { break }
      switch UInt32(bitPattern: type) {
      case GNUTLS_SAN_DNSNAME.rawValue:
        names.append(.host(String(decoding: bytes[..<count], as: UTF8.self)))
      case GNUTLS_SAN_IPADDRESS.rawValue: names.append(.address(Array(bytes[..<count])))
      default: break
      }
    }
    return names
  }

  /// What its key may be used for, as object identifiers; empty where that isn't said.
  var purposes: [String] {
    var purposes: [String] = []
    for index in UInt32(0)... {
      var text = [UInt8](repeating: 0, count: 128)
      var count = text.count
      guard
        gnutls_x509_crt_get_key_purpose_oid(pointer, index, &text, &count, nil) >= 0
      else { break }
      purposes.append(String(decoding: text.prefix { $0 != 0 }, as: UTF8.self))
    }
    return purposes
  }

  /// Whether a client that has asked for a name or an address takes it (RFC 6125, with wildcards).
  public func covers(_ name: SubjectName) -> Bool {
    gnutls_x509_crt_check_hostname2(pointer, name.description, 0) != 0
  }

  /// What tells its key from all others, as `PrivateKey.id`.
  var keyID: [UInt8] {
    get throws(CertificateError) {
      var id = [UInt8](repeating: 0, count: 64)
      var count = id.count
      try CertificateError.check(
        gnutls_x509_crt_get_key_id(pointer, UInt32(GNUTLS_KEYID_USE_SHA1.rawValue), &id, &count))
      return Array(id[..<count])
    }
  }

  /// Whether it was signed with the key of another one.
  public func isSigned(by issuer: Certificate) -> Bool {
    gnutls_x509_crt_check_issuer(pointer, issuer.pointer) != 0
  }
}
