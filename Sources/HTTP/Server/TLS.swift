import CGnuTLS
import Certificates
import Threads

/// The identity that clients are shown at the moment: one that is put in its place counts from the next connection on.
public final class CurrentIdentity: Sendable {
  private let identity: Condition<Identity>

  /// Begins with an identity.
  public init(_ identity: Identity) { self.identity = Condition(identity) }

  /// What is shown at the moment.
  public var value: Identity {
    get { identity.withLock { $0 } }
    set { identity.withLock { $0 = newValue } }
  }
}

/// TLS 1.2 and 1.3, and of 1.2 only what was left of it in 1.3: keys that are forgotten with the connection, and
/// ciphers that can tell whether somebody has changed what they hide.
let tlsPriorities = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-DHE-RSA:-MAC-ALL:+AEAD"

typealias IdentityCallback =
  @convention(c) (
    gnutls_session_t?, UnsafePointer<gnutls_datum_t>?, Int32, UnsafePointer<gnutls_pk_algorithm_t>?, Int32,
    UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?, UnsafeMutablePointer<UInt32>?,
    UnsafeMutablePointer<gnutls_privkey_t?>?
  ) -> Int32

/// GnuTLS asks for what to show to a client, in the middle of a handshake.
func chooseIdentity(
  session: gnutls_session_t?, authorities: UnsafePointer<gnutls_datum_t>?, authorityCount: Int32,
  algorithms: UnsafePointer<gnutls_pk_algorithm_t>?, algorithmCount: Int32,
  certificates: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?,
  count: UnsafeMutablePointer<UInt32>?, key: UnsafeMutablePointer<gnutls_privkey_t?>?
) -> Int32 {
  guard let pointer = session.flatMap({ gnutls_session_get_ptr($0) }), let certificates, let count, let key
  else { return -1 }
  let client = Unmanaged<ClientConnection>.fromOpaque(pointer).takeUnretainedValue()
  guard let identity = client.identity else { return -1 }
  identity.lend(certificates, count, key)
  return 0
}
