import CGnuTLS
import CMicroHTTPD

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What of an encrypted connection is on its way out. libmicrohttpd gives GnuTLS header and body one after the
/// other, and each becomes a record and a packet of its own: the header's is kept back until the body's comes.
struct HeldRecord {
  /// Longer ones go out at once, in bytes.
  private static let limit = 4 << 10

  /// Whether the next record is a header that a body follows.
  var isNext = false
  private var bytes: [UInt8] = []

  /// Sends pieces on a socket, or keeps them back; of what was kept back before, all goes first.
  ///
  /// - Returns: how many bytes of the pieces it took; -1 where `errno` says why it took none.
  mutating func send(_ pieces: UnsafeBufferPointer<iovec>, on descriptor: Int32) -> Int {
    if isNext {
      isNext = false
      let count = pieces.reduce(0) { $0 + $1.iov_len }
      if bytes.isEmpty, count <= Self.limit {
        for piece in pieces { bytes += UnsafeRawBufferPointer(start: piece.iov_base, count: piece.iov_len) }
        return count
      }
    }
    let sent = bytes.withUnsafeMutableBytes { held in
      withUnsafeTemporaryAllocation(of: iovec.self, capacity: pieces.count + 1) { all in
        all.initializeElement(at: 0, to: iovec(iov_base: held.baseAddress, iov_len: held.count))
        _ = all[1...].initialize(fromContentsOf: pieces)
        var message = msghdr()
        message.msg_iov = all.baseAddress
        message.msg_iovlen = .init(all.count)
        return sendmsg(descriptor, &message, Self.flags)
      }
    }
    guard sent >= 0 else { return -1 }
    let rest = sent - bytes.count
    bytes.removeFirst(min(sent, bytes.count))
    guard rest <= 0 else { return rest }
    // Nothing of what was to be sent now has gone: when there is room again.
    errno = EAGAIN
    return -1
  }

  /// Who has left is no reason to end the program. On macOS libmicrohttpd tells the socket so.
  private static var flags: Int32 {
    #if canImport(Darwin)
      0
    #else
      Int32(MSG_NOSIGNAL)
    #endif
  }
}

/// GnuTLS's call that sends records.
func sendRecords(
  client: gnutls_transport_ptr_t?, pieces: UnsafePointer<giovec_t>?, count: Int32
) -> Int {
  guard let client else {
    errno = EBADF
    return -1
  }
  return Unmanaged<ClientConnection>.fromOpaque(client)._withUnsafeGuaranteedRef {
    $0.send(UnsafeBufferPointer(start: pieces, count: Int(count)))
  }
}
