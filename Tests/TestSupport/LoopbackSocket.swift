import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A TCP socket of the loopback interface, closed when nobody has it any more.
public final class LoopbackSocket: Sendable {
  public struct Failure: Error {
    public let call: String
    public let number = errno
  }

  private let descriptor: Int32

  private init(descriptor: Int32) throws {
    guard descriptor >= 0 else { throw Failure(call: "socket") }
    self.descriptor = descriptor
    #if canImport(Darwin)
      var isOn: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    #endif
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  public convenience init(connectedTo port: UInt16) throws {
    try self.init(descriptor: Self.socket())
    guard Self.with(port, { connect(descriptor, $0, $1) }) == 0 else { throw Failure(call: "connect") }
  }

  /// - Parameter port: 0 for a free one.
  public convenience init(listeningOn port: UInt16) throws {
    try self.init(descriptor: Self.socket())
    guard Self.with(port, { bind(descriptor, $0, $1) }) == 0 else { throw Failure(call: "bind") }
    guard listen(descriptor, 64) == 0 else { throw Failure(call: "listen") }
  }

  deinit {
    close(descriptor)
  }

  /// A port that is free and stays so: below those that the system gives to others.
  public static func freePort() throws -> UInt16 {
    for _ in 1...100 {
      let port = UInt16.random(in: 20_000..<32_000)
      if (try? LoopbackSocket(listeningOn: port)) != nil { return port }
    }
    throw Failure(call: "bind")
  }

  public var port: UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// The next connection; nil when the socket has been shut down.
  public func accept() -> LoopbackSocket? {
    #if canImport(Darwin)
      let accepted = Darwin.accept(descriptor, nil, nil)
    #else
      let accepted = Glibc.accept(descriptor, nil, nil)
    #endif
    return try? LoopbackSocket(descriptor: accepted)
  }

  /// Ends what is waited for on it.
  public func shutDown() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Waits until there is something to read.
  ///
  /// - Returns: whether it is from the first of the two; nil where waiting fails.
  public static func first(of one: LoopbackSocket, _ other: LoopbackSocket) -> Bool? {
    var both = [one, other].map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    guard poll(&both, 2, -1) > 0 else { return nil }
    return both[0].revents != 0
  }

  /// What has come; nil at the end.
  public func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? Array(bytes[..<count]) : nil
  }

  /// - Returns: whether all of it has been sent.
  public func write(_ bytes: [UInt8]) -> Bool {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func socket() -> Int32 {
    #if canImport(Darwin)
      Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #else
      Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
  }

  /// Calls a function with the address of a port.
  private static func with(
    _ port: UInt16, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
