import CGnuTLS
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What is seen of a TLS handshake from outside: enough to say why it failed.
struct Handshake {
  /// The first byte that has come; nil where none has.
  private var firstByte: UInt8?
  /// Whether the client has closed the connection.
  private var hasEnded = false
  /// Whether the header of an unencrypted alert is what has come last.
  private var awaitsAlert = false
  /// The description of such an alert: OpenSSL sends the one by which it refuses a certificate so in TLS 1.3, too,
  /// where GnuTLS expects it encrypted, and doesn't read it.
  private var plainAlert: UInt8?

  /// What a record with a message of the handshake begins with, and one with an alert (RFC 8446, section 5.1).
  private static let (handshakeRecord, alertRecord): (UInt8, UInt8) = (22, 21)

  /// Takes note of what receiving has given: bytes and their count, or 0 for the end, or -1. GnuTLS asks for the five
  /// bytes of a record's header, and then for what they announce.
  mutating func received(_ bytes: UnsafeRawBufferPointer, count: Int) {
    guard count > 0 else {
      if count == 0 || errno != EAGAIN && errno != EINTR { hasEnded = true }
      return
    }
    if firstByte == nil { firstByte = bytes[0] }
    // An alert is its level and its description (section 6); one that is encrypted is longer.
    if awaitsAlert, count == 2 { plainAlert = bytes[1] }
    awaitsAlert = count == 5 && bytes[0] == Self.alertRecord && bytes[3] == 0 && bytes[4] == 2
  }

  /// Why the handshake of a session has failed, and what to do about it.
  func failure(of session: OpaquePointer) -> String {
    guard let firstByte else { return "It closed the connection without a word." }
    guard firstByte == Self.handshakeRecord || firstByte == Self.alertRecord else {
      return
        "It doesn't speak TLS: if the app's address begins with http://, make that https://, or use the port of --port."
    }
    var alert = gnutls_alert_get(session)
    if alert == GNUTLS_A_CLOSE_NOTIFY, let plainAlert { alert = .init(UInt32(plainAlert)) }
    // None has come where this is said, or one that only says that the connection is closed.
    guard alert != GNUTLS_A_CLOSE_NOTIFY else {
      return hasEnded
        ? "It closed the connection in the middle of the handshake and didn't say why: so do some that don't trust the certificate's authority."
        : "It has no version of TLS from 1.2 on, or no cipher of them, in common with this server."
    }
    let name = gnutls_alert_get_name(alert).map { String(cString: $0) } ?? "alert \(alert.rawValue)"
    return switch alert {
    case GNUTLS_A_UNKNOWN_CA, GNUTLS_A_BAD_CERTIFICATE, GNUTLS_A_CERTIFICATE_UNKNOWN:
      "It doesn't trust the certificate (\(name)): /connect says how a device comes to trust its authority."
    case GNUTLS_A_CERTIFICATE_EXPIRED:
      "It takes the certificate for expired (\(name)): see whether its clock is right."
    default: "It refused (\(name))."
    }
  }
}

/// Tells the log of handshakes that failed: of each client and reason once a minute, and of so many at most that
/// nobody can fill a disk with them.
final class HandshakeFailures: Sendable {
  private struct Minute {
    var start: UInt64 = 0
    var told: Set<String> = []
    /// How many weren't told since the last that was.
    var untold = 0
  }

  /// How many are told in a minute.
  static let limit = 60
  private static let minute: UInt64 = 60_000_000_000

  private let minute = Condition(Minute())

  /// Tells the log of the one that has just failed on a thread.
  func report(of thread: ServingThread, to log: Log?) {
    guard let client = thread.current, let detail = client.handshakeFailure else { return }
    // The log has what was cut, and at its own end the server cuts all.
    guard !client.isCut, let log else { return }
    guard let untold = turn(client.addressText + " " + detail, at: MonotonicClock.now) else { return }
    var fields: [(name: StaticString, value: Log.FieldValue)] = [
      ("client", .text(client.addressText)), ("detail", .text(detail)),
    ]
    if untold > 0 { fields.append(("untold", .number(Int64(untold)))) }
    log.write(.info, "a TLS handshake failed", fields)
  }

  /// - Returns: how many there were that weren't told, where this one is; otherwise nil.
  func turn(_ failure: String, at now: UInt64) -> Int? {
    minute.withLock { minute in
      if now >= minute.start + Self.minute { minute = Minute(start: now, untold: minute.untold) }
      guard minute.told.count < Self.limit, minute.told.insert(failure).inserted else {
        minute.untold += 1
        return nil
      }
      defer { minute.untold = 0 }
      return minute.untold
    }
  }
}

/// GnuTLS's call that receives.
func receiveBytes(
  client: gnutls_transport_ptr_t?, buffer: UnsafeMutableRawPointer?, count: Int
) -> Int {
  guard let client else {
    errno = EBADF
    return -1
  }
  return Unmanaged<ClientConnection>.fromOpaque(client)._withUnsafeGuaranteedRef {
    $0.receive(buffer, count: count)
  }
}

/// GnuTLS's call that waits until there is something to receive, for so many milliseconds at most.
func waitForBytes(client: gnutls_transport_ptr_t?, milliseconds: UInt32) -> Int32 {
  guard let client else {
    errno = EBADF
    return -1
  }
  return Unmanaged<ClientConnection>.fromOpaque(client)._withUnsafeGuaranteedRef {
    $0.wait(milliseconds: milliseconds)
  }
}
