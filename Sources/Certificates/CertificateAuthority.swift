import CGnuTLS

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A certificate authority for one machine: what it signs counts only for names and addresses that are
/// nobody else's, or that were named when it was made (RFC 5280, section 4.2.1.10).
///
/// Clients needn't mind what the certificate of an authority says that they were told to trust (section 6.1.1),
/// and Java doesn't. They all mind what those say that are between it and a server's. So there is one, with the same
/// constraints, whose key signs; the authority's own key has signed that one and is never written anywhere.
public struct CertificateAuthority: Sendable {
  /// What clients are to trust.
  public let certificate: Certificate
  /// What signs in its name, and what clients are shown beside what it has signed.
  let signer: Certificate
  /// The signer's.
  let key: PrivateKey
  /// Where the certificate is from, for errors.
  let path: String

  /// How long an authority lasts, in seconds: ten years.
  public static let lifetime = 3650 * day
  /// How long a server's certificate lasts, in seconds. Apple takes 825 days of an authority that a user trusts,
  /// but no client takes more than 398 of any; it is renewed by itself, so that longer would win nothing.
  public static let serverLifetime = 397 * day
  static let day = 86_400
  /// 2025-01-01. A machine without a clock of its own begins in 1970 until it has asked others: an authority of that
  /// time would have ended as soon as it knows.
  static let earliest = 1_735_689_600
  /// A client whose clock is slow by less takes a new certificate, in seconds.
  private static let slack = day

  /// Makes one.
  ///
  /// - Parameters:
  ///   - host: whose it is.
  ///   - names: what it may sign for, beyond what is nobody's.
  ///   - now: the second of the epoch.
  static func make(host: String, names: [SubjectName], now: Int) throws(CertificateError)
    -> CertificateAuthority
  {
    let (root, key) = try (PrivateKey.generate(), PrivateKey.generate())
    // A name has room for 64 characters (RFC 5280, appendix A.1).
    let whose = "on \(host.prefix(36)), \(isoDate(now))"
    let certificate = try unsigned("Understudy \(whose)", key: root, names: names, below: 1, now: now)
    try CertificateError.check(
      gnutls_x509_crt_sign2(
        certificate.pointer, certificate.pointer, root.pointer, GNUTLS_DIG_SHA256, 0))
    let signer = try unsigned("Signer \(whose)", key: key, names: names, below: 0, now: now)
    let id = try root.id
    try CertificateError.check(gnutls_x509_crt_set_authority_key_id(signer.pointer, id, id.count))
    try CertificateError.check(
      gnutls_x509_crt_sign2(signer.pointer, certificate.pointer, root.pointer, GNUTLS_DIG_SHA256, 0))
    return CertificateAuthority(certificate: certificate, signer: signer, key: key, path: "")
  }

  /// A certificate for a key that signs others, which nobody has signed yet.
  ///
  /// - Parameter below: how many such may be between it and a server's.
  private static func unsigned(
    _ name: String, key: PrivateKey, names: [SubjectName], below: Int32, now: Int
  ) throws(CertificateError) -> Certificate {
    let certificate = try Certificate()
    let new = certificate.pointer
    try certificate.begin(name: name, key: key, from: now - slack, to: now + lifetime)
    try CertificateError.check(gnutls_x509_crt_set_basic_constraints(new, 1, below))
    try CertificateError.check(
      gnutls_x509_crt_set_key_usage(new, UInt32(GNUTLS_KEY_KEY_CERT_SIGN | GNUTLS_KEY_CRL_SIGN)))
    try NameConstraints.put(into: certificate, names: names)
    return certificate
  }

  /// Whether clients take a certificate for this name that it signs.
  public func permits(_ name: SubjectName) -> Bool { certificate.permits(name) }

  /// - Throws: `ended`, or `notYet` where it was made when the clock was ahead.
  func check(at now: Int) throws(CertificateError) {
    guard certificate.end > now else { throw .ended(path, certificate.end) }
    guard certificate.start <= now else { throw .notYet(path, certificate.start) }
  }

  /// Signs a server's certificate, with a key of its own.
  ///
  /// - Parameters:
  ///   - names: what it is for, the first its common name.
  ///   - lifetime: how long it lasts, in seconds, at most; it doesn't outlive the authority.
  /// - Returns: the key, the certificate and the signer's, in PEM.
  func issue(names: [SubjectName], lifetime: Int, now: Int) throws(CertificateError) -> [UInt8] {
    try check(at: now)
    let refused = names.filter { !permits($0) }
    guard refused.isEmpty else { throw .notPermitted(path, refused) }
    let key = try PrivateKey.generate()
    let issued = try Certificate()
    let new = issued.pointer
    let name = names.first?.description ?? ""
    let start = now - min(Self.slack, lifetime / 3)
    try issued.begin(
      name: name.utf8.count <= 64 ? name : "Understudy", key: key,
      from: max(start, certificate.start), to: min(start + lifetime, certificate.end))
    try CertificateError.check(gnutls_x509_crt_set_basic_constraints(new, 0, -1))
    // ECDSA only ever signs: there is nothing for the key to encipher.
    try CertificateError.check(gnutls_x509_crt_set_key_usage(new, UInt32(GNUTLS_KEY_DIGITAL_SIGNATURE)))
    try CertificateError.check(gnutls_x509_crt_set_key_purpose_oid(new, GNUTLS_KP_TLS_WWW_SERVER, 0))
    for name in names {
      let bytes = name.bytes
      try CertificateError.check(
        gnutls_x509_crt_set_subject_alt_name(
          new, name.type, bytes, UInt32(bytes.count), UInt32(GNUTLS_FSAN_APPEND)))
    }
    let id = try signer.keyID
    try CertificateError.check(gnutls_x509_crt_set_authority_key_id(new, id, id.count))
    try CertificateError.check(
      gnutls_x509_crt_sign2(new, signer.pointer, self.key.pointer, GNUTLS_DIG_SHA256, 0))
    return try key.pem + issued.pem + signer.pem
  }
}

extension Certificate {
  /// What an authority's certificate and a server's have in common: version, serial number, subject, dates, key.
  fileprivate func begin(
    name: String, key: PrivateKey, from start: Int, to end: Int
  ) throws(CertificateError) {
    try CertificateError.check(gnutls_x509_crt_set_version(pointer, 3))
    var serial = [UInt8](repeating: 0, count: 16)
    try CertificateError.check(gnutls_rnd(GNUTLS_RND_NONCE, &serial, serial.count))
    // A positive number whose first byte isn't 0: it has one encoding (RFC 5280, section 4.1.2.2).
    serial[0] = serial[0] & 0x3F | 0x40
    try CertificateError.check(gnutls_x509_crt_set_serial(pointer, serial, serial.count))
    try CertificateError.check(
      gnutls_x509_crt_set_dn_by_oid(
        pointer, GNUTLS_OID_X520_COMMON_NAME, 0, name, UInt32(name.utf8.count)))
    try CertificateError.check(gnutls_x509_crt_set_activation_time(pointer, start))
    try CertificateError.check(gnutls_x509_crt_set_expiration_time(pointer, end))
    try CertificateError.check(gnutls_x509_crt_set_key(pointer, key.pointer))
    let id = try key.id
    try CertificateError.check(gnutls_x509_crt_set_subject_key_id(pointer, id, id.count))
  }
}

/// The day of a second of the epoch, `2026-06-01`, in UTC.
public func isoDate(_ second: Int) -> String {
  var (time, parts) = (time_t(second), tm())
  gmtime_r(&time, &parts)
  func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
  return "\(parts.tm_year + 1900)-\(twoDigits(parts.tm_mon + 1))-\(twoDigits(parts.tm_mday))"
}
