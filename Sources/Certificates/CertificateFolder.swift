#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The folder with an authority (`ca.pem`), what signs in its name (`ca.key`), and the server's certificate and key
/// that it signed (`server.pem`).
public struct CertificateFolder: Sendable {
  /// The folder's path.
  public let path: String

  public init(_ path: String) { self.path = path }

  /// The authority's certificate.
  public var authorityCertificate: String { path + "/ca.pem" }
  /// The signer's certificate and key.
  var authorityKey: String { path + "/ca.key" }
  /// The server's certificate and key.
  public var server: String { path + "/server.pem" }

  // MARK: The authority

  /// The authority's certificate; nil where there is none.
  public func certificate() throws(CertificateError) -> Certificate? {
    let path = authorityCertificate
    guard fileExists(path) else { return nil }
    return try Certificate.first(in: path)
  }

  /// The authority that is there; nil where there is none. A key alone is what a power cut leaves of one that was
  /// being made, and nobody trusts that yet.
  public func authority() throws(CertificateError) -> CertificateAuthority? {
    guard let certificate = try certificate() else { return nil }
    let pem = try readFile(authorityKey)
    let key = try PrivateKey(pem: pem, path: authorityKey)
    guard let signer = try Certificate.all(pem: pem, path: authorityKey).first,
      try signer.keyID == key.id, signer.isSigned(by: certificate)
    else { throw .mismatch(certificate: authorityCertificate, key: authorityKey) }
    return CertificateAuthority(
      certificate: certificate, signer: signer, key: key, path: authorityCertificate)
  }

  /// Makes an authority, in the place of one that may be there.
  ///
  /// - Parameters:
  ///   - host: whose it is.
  ///   - names: what it may sign for, beyond what is nobody's.
  ///   - now: the second of the epoch.
  @discardableResult
  public func makeAuthority(
    host: String, names: [SubjectName], now: Int = time(nil)
  ) throws(CertificateError) -> CertificateAuthority {
    guard now >= CertificateAuthority.earliest else { throw .clock(now) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw .unwritable(path, reason: String(cString: strerror(errno)))
    }
    let made = try CertificateAuthority.make(host: host, names: names, now: now)
    // First what needs room on the disk: where there is none, the old one stays.
    let key = try NewFile(made.signer.pem + made.key.pem, for: authorityKey, mode: 0o600)
    let certificate: NewFile
    do {
      certificate = try NewFile(made.certificate.pem, for: authorityCertificate, mode: 0o644)
    } catch {
      key.discard()
      throw error
    }
    // In this order: a certificate is never beside the key of another one.
    try removeFile(authorityCertificate)
    try removeFile(server)
    try key.takePlace()
    try certificate.takePlace()
    // As it is read: GnuTLS compares issuers only with certificates that it has read.
    guard let authority = try authority() else { throw .noCertificate(authorityCertificate) }
    return authority
  }

  /// Takes the rights to the files with keys from everybody but their owner, as it was when they were made.
  ///
  /// - Returns: what was changed, or couldn't be, in words.
  public func keepKeysPrivate() -> [String] {
    [authorityKey, server].compactMap { file in
      var status = stat()
      guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else {
        return nil
      }
      let mode = String(status.st_mode & 0o777, radix: 8)
      guard chmod(file, 0o600) == 0 else {
        return "\(file) has the mode \(mode), and can't be changed (\(String(cString: strerror(errno))))"
      }
      return "\(file) had the mode \(mode), and has 600 now; who has read it can pretend to be this server"
    }
  }

  // MARK: The server's certificate

  /// The server's certificate that is there; nil where there is none, or none that can be used.
  public func identity() -> Identity? { try? Identity(file: server) }

  /// A server's certificate that the authority has signed for these names: the one that is there, where it is for all
  /// of them and no more than two thirds of its life are over; a new one otherwise.
  ///
  /// - Parameters:
  ///   - lifetime: how long a new one lasts, in seconds.
  ///   - now: the second of the epoch.
  public func identity(
    from authority: CertificateAuthority, for names: [SubjectName],
    lifetime: Int = CertificateAuthority.serverLifetime,
    now: Int = time(nil)
  ) throws(CertificateError) -> Identity {
    // A clock that can't be right says nothing of what clients take.
    if now >= CertificateAuthority.earliest { try authority.check(at: now) }
    if let known = identity(), known.isSigned(under: authority.certificate),
      !known.certificate.needsRenewal(for: names, from: authority, now: now)
    {
      return known
    }
    try NewFile(authority.issue(names: names, lifetime: lifetime, now: now), for: server, mode: 0o600)
      .takePlace()
    return try Identity(file: server)
  }
}

extension Certificate {
  /// Whether the last third of its life has begun, or it isn't for one of the names. One that begins or ends with its
  /// authority can't be followed by one that begins before or ends after it.
  public func needsRenewal(for names: [SubjectName], from authority: CertificateAuthority, now: Int) -> Bool {
    let isYoung = now < start && now >= CertificateAuthority.earliest && start > authority.certificate.start
    let isOld = now >= end - (end - start) / 3 && end < authority.certificate.end
    return isYoung || isOld || !names.allSatisfy(self.names.contains)
  }
}
