import CGnuTLS

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A certificate authority for one machine: what it signs counts only for names and addresses that are
/// nobody else's, or that were named when it was made (RFC 5280, section 4.2.1.10).
public struct CertificateAuthority: Sendable {
  /// What clients are to trust.
  public let certificate: Certificate
  let key: PrivateKey
  /// Where the certificate is from, for errors.
  let path: String

  /// How long an authority lasts, in seconds: ten years.
  public static let lifetime = 3650 * day
  /// How long a server's certificate lasts, in seconds. Apple takes 825 days of an authority that a user trusts,
  /// but no client takes more than 398 of any; it is renewed by itself, so that longer would win nothing.
  public static let serverLifetime = 397 * day
  static let day = 86_400
  /// A client whose clock is slow by less takes a new certificate, in seconds.
  private static let slack = day

  /// The names and networks that every authority may sign for: they are nobody's alone, so that a certificate for
  /// one of them takes nothing from anybody. A name stands for those below it too.
  private static let privateNames = ["localhost", "local"]
  private static let privateNetworks = [
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16", "fc00::/7", "fe80::/10",
    "::1/128",
  ]
  /// A domain that there will never be (RFC 2606). That it alone may have mail leaves none that may.
  private static let nobody = "invalid"

  /// Makes one.
  ///
  /// - Parameters:
  ///   - host: whose it is.
  ///   - names: what it may sign for, beyond what is nobody's.
  ///   - now: the second of the epoch.
  static func make(host: String, names: [SubjectName], now: Int) throws(CertificateError)
    -> CertificateAuthority
  {
    let key = try PrivateKey.generate()
    let certificate = try Certificate()
    let new = certificate.pointer
    // A name has room for 64 characters (RFC 5280, appendix A.1).
    let date = isoDate(now)
    try certificate.begin(
      name: "Understudy on \(host.prefix(36)), \(date)", key: key, from: now - slack, to: now + lifetime)
    try CertificateError.check(gnutls_x509_crt_set_basic_constraints(new, 1, 0))
    try CertificateError.check(
      gnutls_x509_crt_set_key_usage(new, UInt32(GNUTLS_KEY_KEY_CERT_SIGN | GNUTLS_KEY_CRL_SIGN)))
    try constrain(new, to: names)
    try CertificateError.check(gnutls_x509_crt_sign2(new, new, key.pointer, GNUTLS_DIG_SHA256, 0))
    return CertificateAuthority(certificate: certificate, key: key, path: "")
  }

  private static func constrain(_ new: gnutls_x509_crt_t, to names: [SubjectName]) throws(CertificateError) {
    var list: gnutls_x509_name_constraints_t?
    try CertificateError.check(gnutls_x509_name_constraints_init(&list))
    defer { gnutls_x509_name_constraints_deinit(list) }
    func permit(_ type: gnutls_x509_subject_alt_name_t, _ bytes: [UInt8]) throws(CertificateError) {
      try CertificateError.check(
        withDatum(bytes) { gnutls_x509_name_constraints_add_permitted(list, type, &$0) })
    }
    for name in names {
      switch name {
      case .host(let name): try permit(GNUTLS_SAN_DNSNAME, Array(name.utf8))
      case .address(let bytes):
        try permit(GNUTLS_SAN_IPADDRESS, bytes + [UInt8](repeating: 255, count: bytes.count))
      }
    }
    for name in privateNames { try permit(GNUTLS_SAN_DNSNAME, Array(name.utf8)) }
    for network in privateNetworks {
      var bytes = gnutls_datum_t()
      try CertificateError.check(gnutls_x509_cidr_to_rfc5280(network, &bytes))
      try permit(GNUTLS_SAN_IPADDRESS, take(bytes))
    }
    try permit(GNUTLS_SAN_RFC822NAME, Array(nobody.utf8))
    try CertificateError.check(gnutls_x509_crt_set_name_constraints(new, list, 1))
  }

  // MARK: What it may sign

  /// Whether a certificate for this name that it signs is one that clients take.
  public func permits(_ name: SubjectName) -> Bool {
    var list: gnutls_x509_name_constraints_t?
    guard gnutls_x509_name_constraints_init(&list) >= 0 else { return false }
    defer { gnutls_x509_name_constraints_deinit(list) }
    guard gnutls_x509_crt_get_name_constraints(certificate.pointer, list, 0, nil) >= 0 else { return false }
    let type =
      switch name {
      case .host: GNUTLS_SAN_DNSNAME
      case .address: GNUTLS_SAN_IPADDRESS
      }
    return withDatum(name.bytes) { gnutls_x509_name_constraints_check(list, type, &$0) } != 0
  }

  /// What it may sign for beyond what is nobody's.
  public var names: [SubjectName] {
    var list: gnutls_x509_name_constraints_t?
    guard gnutls_x509_name_constraints_init(&list) >= 0 else { return [] }
    defer { gnutls_x509_name_constraints_deinit(list) }
    guard gnutls_x509_crt_get_name_constraints(certificate.pointer, list, 0, nil) >= 0 else { return [] }
    var names: [SubjectName] = []
    for index in UInt32(0)... {
      var (type, datum) = (UInt32(0), gnutls_datum_t())
      guard gnutls_x509_name_constraints_get_permitted(list, index, &type, &datum) >= 0 else { break }
      let bytes = Array(UnsafeBufferPointer(start: datum.data, count: Int(datum.size)))
      switch type {
      case GNUTLS_SAN_DNSNAME.rawValue:
        let name = String(decoding: bytes, as: UTF8.self)
        if !Self.privateNames.contains(name) { names.append(.host(name)) }
      case GNUTLS_SAN_IPADDRESS.rawValue:
        let (address, mask) = (bytes[..<(bytes.count / 2)], bytes[(bytes.count / 2)...])
        let isLoopback = address.count == 16 && address.dropLast().allSatisfy { $0 == 0 } && address.last == 1
        if mask.allSatisfy({ $0 == 255 }), !isLoopback { names.append(.address(Array(address))) }
      default: break
      }
    }
    return names
  }

  /// Signs a server's certificate, with a key of its own.
  ///
  /// - Parameters:
  ///   - names: what it is for, the first its common name.
  ///   - lifetime: how long it lasts, in seconds, at most; it doesn't outlive the authority.
  /// - Returns: the key and the certificate, in PEM.
  func issue(names: [SubjectName], lifetime: Int, now: Int) throws(CertificateError) -> [UInt8] {
    guard certificate.end > now else { throw .ended(path, certificate.end) }
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
      let type =
        switch name {
        case .host: GNUTLS_SAN_DNSNAME
        case .address: GNUTLS_SAN_IPADDRESS
        }
      let bytes = name.bytes
      try CertificateError.check(
        gnutls_x509_crt_set_subject_alt_name(
          new, type, bytes, UInt32(bytes.count), UInt32(GNUTLS_FSAN_APPEND)))
    }
    let id = try certificate.keyID
    try CertificateError.check(gnutls_x509_crt_set_authority_key_id(new, id, id.count))
    try CertificateError.check(
      gnutls_x509_crt_sign2(new, certificate.pointer, self.key.pointer, GNUTLS_DIG_SHA256, 0))
    return try key.pem + issued.pem
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
