import CGnuTLS

/// What an authority may sign for (RFC 5280, section 4.2.1.10): one that has the constraints in its certificate can't
/// be used against anybody else's names, whoever gets hold of its key.
enum NameConstraints {
  /// The names and networks that every authority may sign for: they are nobody's alone, so that a certificate for
  /// one of them takes nothing from anybody. A name stands for those below it too.
  static let privateNames = ["localhost", "local"]
  static let privateNetworks = [
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16", "fc00::/7", "fe80::/10",
    "::1/128",
  ]
  /// A domain that there will never be (RFC 2606). That it alone may have mail leaves none that may.
  static let nobody = "invalid"

  /// Puts constraints into a certificate that is being made.
  static func put(into certificate: Certificate, names: [SubjectName]) throws(CertificateError) {
    var list: gnutls_x509_name_constraints_t?
    try CertificateError.check(gnutls_x509_name_constraints_init(&list))
    defer { gnutls_x509_name_constraints_deinit(list) }
    func permit(_ type: gnutls_x509_subject_alt_name_t, _ bytes: [UInt8]) throws(CertificateError) {
      try CertificateError.check(
        withDatum(bytes) { gnutls_x509_name_constraints_add_permitted(list, type, &$0) })
    }
    for name in names {
      let bytes = name.bytes
      // An address comes with its mask.
      let mask = name.type == GNUTLS_SAN_IPADDRESS ? [UInt8](repeating: 255, count: bytes.count) : []
      try permit(name.type, bytes + mask)
    }
    for name in privateNames { try permit(GNUTLS_SAN_DNSNAME, Array(name.utf8)) }
    for network in privateNetworks {
      var bytes = gnutls_datum_t()
      try CertificateError.check(gnutls_x509_cidr_to_rfc5280(network, &bytes))
      try permit(GNUTLS_SAN_IPADDRESS, take(bytes))
    }
    try permit(GNUTLS_SAN_RFC822NAME, Array(nobody.utf8))
    try CertificateError.check(gnutls_x509_crt_set_name_constraints(certificate.pointer, list, 1))
  }
}

extension Certificate {
  /// Whether clients take a certificate for this name that an authority signs whose certificate this is.
  public func permits(_ name: SubjectName) -> Bool {
    withNameConstraints { list in
      withDatum(name.bytes) { gnutls_x509_name_constraints_check(list, name.type, &$0) } != 0
    } ?? false
  }

  /// What such an authority may sign for, beyond what is nobody's.
  public var permittedNames: [SubjectName] {
    withNameConstraints { list in
      var names: [SubjectName] = []
      for index in UInt32(0)... {
        var (type, datum) = (UInt32(0), gnutls_datum_t())
        guard gnutls_x509_name_constraints_get_permitted(list, index, &type, &datum) >= 0 else { break }
        let bytes = Array(UnsafeBufferPointer(start: datum.data, count: Int(datum.size)))
        if let name = Self.permittedName(type, bytes) { names.append(name) }
      }
      return names
    } ?? []
  }

  private static func permittedName(_ type: UInt32, _ bytes: [UInt8]) -> SubjectName? {
    switch type {
    case GNUTLS_SAN_DNSNAME.rawValue:
      let name = String(decoding: bytes, as: UTF8.self)
      return NameConstraints.privateNames.contains(name) ? nil : .host(name)
    case GNUTLS_SAN_IPADDRESS.rawValue:
      let (address, mask) = (Array(bytes[..<(bytes.count / 2)]), bytes[(bytes.count / 2)...])
      let isNetwork = !mask.allSatisfy { $0 == 255 }
      return isNetwork || SubjectName.address(address) == SubjectName("::1") ? nil : .address(address)
    default: return nil
    }
  }

  private func withNameConstraints<Result>(_ body: (gnutls_x509_name_constraints_t) -> Result) -> Result? {
    var list: gnutls_x509_name_constraints_t?
    guard gnutls_x509_name_constraints_init(&list) >= 0, let list else { return nil }
    defer { gnutls_x509_name_constraints_deinit(list) }
    guard gnutls_x509_crt_get_name_constraints(pointer, list, 0, nil) >= 0 else { return nil }
    return body(list)
  }
}
