import CGnuTLS

/// What a server shows to its clients and proves to be: a certificate, those that lead from it to one that clients
/// trust, and the key.
public final class Identity: @unchecked Sendable {
  // Safe to share: nothing changes after `init`, and GnuTLS only reads what it is lent.

  /// The server's own certificate.
  public let certificate: Certificate
  private let certificates: [Certificate]
  private let chain: UnsafeMutableBufferPointer<gnutls_pcert_st>
  private let key: gnutls_privkey_t

  /// Reads the files of a certificate, which may be a chain with the server's own first, and its key.
  public convenience init(certificateFile: String, keyFile: String) throws(CertificateError) {
    try self.init(
      certificates: Certificate.all(pem: readFile(certificateFile), path: certificateFile),
      key: PrivateKey(pem: readFile(keyFile), path: keyFile),
      paths: (certificateFile, keyFile))
  }

  /// Reads a file that holds both.
  convenience init(file: String) throws(CertificateError) {
    let pem = try readFile(file)
    try self.init(
      certificates: Certificate.all(pem: pem, path: file), key: PrivateKey(pem: pem, path: file),
      paths: (file, file))
  }

  private init(
    certificates: [Certificate], key: PrivateKey, paths: (certificate: String, key: String)
  ) throws(CertificateError) {
    guard let first = certificates.first else { throw .noCertificate(paths.certificate) }
    guard try first.keyID == key.id else {
      throw .mismatch(certificate: paths.certificate, key: paths.key)
    }
    var copy: gnutls_privkey_t?
    try CertificateError.check(gnutls_privkey_init(&copy))
    guard let copy else { throw .failed("no memory") }
    certificate = first
    self.certificates = certificates
    self.key = copy
    chain = .allocate(capacity: certificates.count)
    chain.initialize(repeating: gnutls_pcert_st())
    // From here on the object is whole, and its end frees what there is.
    try CertificateError.check(
      gnutls_privkey_import_x509(copy, key.pointer, UInt32(GNUTLS_PRIVKEY_IMPORT_COPY.rawValue)))
    for (index, certificate) in certificates.enumerated() {
      guard let slot = chain.baseAddress?.advanced(by: index) else { continue }
      try CertificateError.check(gnutls_pcert_import_x509(slot, certificate.pointer, 0))
    }
  }

  /// GnuTLS's version, as `3.7.9`.
  public static var libraryVersion: String { String(cString: gnutls_check_version(nil)) }

  deinit {
    for index in chain.indices {
      if let slot = chain.baseAddress?.advanced(by: index) { gnutls_pcert_deinit(slot) }
    }
    chain.deallocate()
    gnutls_privkey_deinit(key)
  }

  /// Lends GnuTLS the certificates and the key, for as long as the object lives.
  public func lend(
    _ certificates: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>,
    _ count: UnsafeMutablePointer<UInt32>, _ key: UnsafeMutablePointer<gnutls_privkey_t?>
  ) {
    certificates.pointee = chain.baseAddress
    count.pointee = UInt32(chain.count)
    key.pointee = self.key
  }

  /// Whether its certificates lead to an authority's, each signed by the next.
  public func isSigned(under authority: Certificate) -> Bool {
    zip(certificates, certificates.dropFirst() + [authority]).allSatisfy { $0.isSigned(by: $1) }
  }

  /// Why clients won't take the certificate, whatever name they ask for, in words; empty where nothing is known.
  public var weaknesses: [String] {
    var weaknesses: [String] = []
    var bits: UInt32 = 0
    let algorithm = gnutls_x509_crt_get_pk_algorithm(certificate.pointer, &bits)
    if algorithm == GNUTLS_PK_RSA.rawValue, bits < 2048 {
      weaknesses.append("its key has \(bits) bits, and clients want RSA of 2048 at least")
    }
    let purposes = certificate.purposes
    if !purposes.isEmpty, !purposes.contains(GNUTLS_KP_TLS_WWW_SERVER), !purposes.contains(GNUTLS_KP_ANY) {
      weaknesses.append("it is not for servers: its extended key usage has no serverAuth")
    }
    return weaknesses
  }

  /// - Throws: `ended`, `notYet` or `doesNotCover`, where a client that asks for one of the names at that second of
  ///   the epoch wouldn't take it.
  public func check(for names: [SubjectName], at now: Int, path: String) throws(CertificateError) {
    guard certificate.end > now else { throw .ended(path, certificate.end) }
    guard certificate.start <= now else { throw .notYet(path, certificate.start) }
    if let name = names.first(where: { !certificate.covers($0) }) { throw .doesNotCover(path, name) }
  }
}
