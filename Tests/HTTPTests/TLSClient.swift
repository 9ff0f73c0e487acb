import CGnuTLS
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A client that speaks TLS with whoever is there, and says what it wants to.
final class TLSClient {
  private let descriptor: Int32
  private var session: gnutls_session_t?
  private var credentials: gnutls_certificate_credentials_t?

  /// Connects to a port of the loopback interface; reads wait for at most ten seconds.
  init(port: UInt16) throws {
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    try #require(isConnected)
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    gnutls_init(&session, UInt32(GNUTLS_CLIENT) | UInt32(GNUTLS_NO_SIGNAL))
    gnutls_set_default_priority(session)
    gnutls_certificate_allocate_credentials(&credentials)
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
    gnutls_transport_set_int2(session, descriptor, descriptor)
    try #require(gnutls_handshake(session) == 0)
  }

  deinit {
    gnutls_deinit(session)
    gnutls_certificate_free_credentials(credentials)
    close(descriptor)
  }

  func send(_ text: String) throws {
    try #require(gnutls_record_send(session, text, text.utf8.count) == text.utf8.count)
  }

  /// Reads until the text that has come ends as it is to end.
  func text(endingWith end: String) throws -> String {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let text = String(decoding: received, as: UTF8.self)
      if text.hasSuffix(end) { return text }
      let count = gnutls_record_recv(session, &buffer, buffer.count)
      try #require(count > 0, "nothing after \(text.debugDescription)")
      received += buffer[..<count]
    }
  }
}
