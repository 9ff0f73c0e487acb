import TestSupport
import Testing

@testable import HTTP

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("What is sent on an encrypted connection")
struct HeldRecordTests {
  /// Two sockets that are connected with each other, neither of which waits.
  private final class Pair {
    let near: Int32
    let far: Int32

    /// - Parameter keepsPieces: whether what one call sends another receives, no more and no less.
    init(keepsPieces: Bool) throws {
      var ends: [Int32] = [0, 0]
      #if canImport(Darwin)
        let type = keepsPieces ? SOCK_DGRAM : SOCK_STREAM
      #else
        let type = Int32((keepsPieces ? SOCK_DGRAM : SOCK_STREAM).rawValue)
      #endif
      try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
      (near, far) = (ends[0], ends[1])
      for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
      var size: Int32 = 4096
      setsockopt(near, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
      close(near)
      close(far)
    }

    /// What has arrived; nothing where there is nothing.
    func received() -> [UInt8] {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = recv(far, &buffer, buffer.count, 0)
      return Array(buffer[..<max(0, count)])
    }

    func send(_ pieces: [[UInt8]], with held: inout HeldRecord) -> Int {
      var joined = pieces.flatMap(\.self)
      return joined.withUnsafeMutableBytes { bytes in
        var start = 0
        let vector = pieces.map { piece in
          defer { start += piece.count }
          return iovec(iov_base: bytes.baseAddress?.advanced(by: start), iov_len: piece.count)
        }
        return vector.withUnsafeBufferPointer { held.send($0, on: near) }
      }
    }
  }

  @Test("a header waits for its body, and both go in one piece; what follows no header doesn't wait")
  func joined() throws {
    let pair = try Pair(keepsPieces: true)
    var held = HeldRecord()
    #expect(pair.send([[1], [2]], with: &held) == 2)
    #expect(pair.received() == [1, 2])
    held.isNext = true
    #expect(pair.send([[3], [4, 5]], with: &held) == 3)
    #expect(pair.received() == [])
    #expect(pair.send([[6, 7], [8]], with: &held) == 3)
    #expect(pair.received() == [3, 4, 5, 6, 7, 8])
    #expect(pair.send([[9]], with: &held) == 1)
    #expect(pair.received() == [9])
  }

  @Test("no byte is lost, sent twice or out of order where the socket takes only some", arguments: 1...8)
  func fullSocket(seed: UInt64) throws {
    let pair = try Pair(keepsPieces: false)
    var generator = SeededGenerator(seed: seed)
    var held = HeldRecord()
    var (sent, received): ([UInt8], [UInt8]) = ([], [])
    var refusals = 0
    for _ in 0..<60 {
      held.isNext = .random(using: &generator)
      // No period of what is sent is that of a buffer.
      var rest = (0..<Int.random(in: 1...9000, using: &generator)).map {
        UInt8(truncatingIfNeeded: (sent.count + $0) % 251)
      }
      sent += rest
      // As GnuTLS does: what wasn't taken comes again.
      while !rest.isEmpty {
        let cut = Int.random(in: 0...rest.count, using: &generator)
        let count = pair.send([Array(rest[..<cut]), Array(rest[cut...])], with: &held)
        if count < 0 {
          try #require(errno == EAGAIN)
          refusals += 1
          received += pair.received()
        } else {
          try #require(count > 0 && count <= rest.count)
          rest.removeFirst(count)
        }
      }
    }
    // What is kept back goes with the next record.
    while pair.send([[0]], with: &held) < 0 { received += pair.received() }
    sent.append(0)
    while case let more = pair.received(), !more.isEmpty { received += more }
    #expect(received == sent)
    #expect(refusals > 0)
  }

  @Test("who has left is an error of the call, and not the end of the program")
  func left() throws {
    let pair = try Pair(keepsPieces: false)
    #if canImport(Darwin)
      ignoreBrokenPipes()
    #endif
    var held = HeldRecord()
    held.isNext = true
    #expect(pair.send([[1]], with: &held) == 1)
    shutdown(pair.far, Int32(SHUT_RDWR))
    #expect(pair.send([[2]], with: &held) == -1)
    #expect(errno == EPIPE)
  }
}
