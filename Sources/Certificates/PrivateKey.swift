import CGnuTLS

/// A private key.
final class PrivateKey: @unchecked Sendable {
  // Safe to share: nothing changes the object of GnuTLS's once it is made.
  let pointer: gnutls_x509_privkey_t

  private init() throws(CertificateError) {
    var pointer: gnutls_x509_privkey_t?
    try CertificateError.check(gnutls_x509_privkey_init(&pointer))
    guard let pointer else { throw .failed("no memory") }
    self.pointer = pointer
  }

  deinit {
    gnutls_x509_privkey_deinit(pointer)
  }

  /// A new key, for ECDSA on the curve P-256: what every client knows that knows elliptic curves at all.
  static func generate() throws(CertificateError) -> PrivateKey {
    let key = try PrivateKey()
    try CertificateError.check(gnutls_x509_privkey_generate(key.pointer, GNUTLS_PK_ECDSA, gnutls_p256(), 0))
    return key
  }

  /// Reads a key without a passphrase, in any of the forms that PEM has for them.
  ///
  /// - Parameter path: where the text is from, for the error.
  convenience init(pem: [UInt8], path: String) throws(CertificateError) {
    try self.init()
    let status = withDatum(pem) {
      gnutls_x509_privkey_import2(pointer, &$0, GNUTLS_X509_FMT_PEM, nil, 0)
    }
    guard status >= 0 else { throw .noKey(path) }
  }

  /// PKCS #8 in PEM, without a passphrase.
  var pem: [UInt8] {
    get throws(CertificateError) {
      var text = gnutls_datum_t()
      try CertificateError.check(
        gnutls_x509_privkey_export2_pkcs8(
          pointer, GNUTLS_X509_FMT_PEM, nil, UInt32(GNUTLS_PKCS_PLAIN.rawValue), &text))
      return take(text)
    }
  }

  /// What tells the key from all others: the hash of its public half (RFC 5280, section 4.2.1.2, method 1).
  var id: [UInt8] {
    get throws(CertificateError) {
      var id = [UInt8](repeating: 0, count: 64)
      var count = id.count
      try CertificateError.check(
        gnutls_x509_privkey_get_key_id(pointer, UInt32(GNUTLS_KEYID_USE_SHA1.rawValue), &id, &count))
      return Array(id[..<count])
    }
  }
}

/// Lends bytes to a call of GnuTLS's, which takes them as its own structure but leaves them as they are.
func withDatum<Result>(_ bytes: [UInt8], _ body: (inout gnutls_datum_t) -> Result) -> Result {
  var copy = bytes
  return copy.withUnsafeMutableBufferPointer { bytes in
    var datum = gnutls_datum_t(data: bytes.baseAddress, size: UInt32(bytes.count))
    return body(&datum)
  }
}

/// Copies bytes that GnuTLS allocated, and gives its own back.
func take(_ datum: gnutls_datum_t) -> [UInt8] {
  defer { gnutls_release(datum.data) }
  return Array(UnsafeBufferPointer(start: datum.data, count: Int(datum.size)))
}
