import CGnuTLS

/// What is wrong with a certificate, a key or the files that they are in.
public enum CertificateError: Error, Equatable, Sendable {
  /// The file can't be read.
  case unreadable(String, reason: String)
  /// This user may not read the file, which is another one's.
  case forbidden(String, owner: String)
  /// The file can't be written.
  case unwritable(String, reason: String)
  /// There is no certificate in the file, or it is damaged.
  case noCertificate(String)
  /// There is no private key in the file, it is damaged, or it is locked with a passphrase.
  case noKey(String)
  /// The key isn't the one that the certificate is for.
  case mismatch(certificate: String, key: String)
  /// The certificate has ended, at this second of the epoch.
  case ended(String, Int)
  /// The certificate isn't valid before this second of the epoch.
  case notYet(String, Int)
  /// The clock says this second of the epoch, which is long over.
  case clock(Int)
  /// The certificate isn't for this name.
  case doesNotCover(String, SubjectName)
  /// The authority may not sign for these names.
  case notPermitted(String, [SubjectName])
  /// What GnuTLS says of what should have worked.
  case failed(String)

  /// - Throws: `failed` where a call of GnuTLS's gave an error.
  static func check(_ status: Int32) throws(CertificateError) {
    guard status < 0 else { return }
    throw .failed(gnutls_strerror(status).map { String(cString: $0) } ?? "error \(status)")
  }
}
