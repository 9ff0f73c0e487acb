#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A TCP connection on which a test sends the bytes that it wants to, well formed or not.
public final class RawClient {
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private let descriptor: Int32
  private var received: [UInt8] = []

  /// Connects to a port of the loopback interface; reads wait for at most ten seconds.
  public init(port: UInt16, ipv6: Bool = false) throws {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    #if canImport(Darwin)
      hints.ai_socktype = SOCK_STREAM
    #else
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(ipv6 ? "::1" : "127.0.0.1", String(port), &hints, &list) == 0, let info = list else {
      throw Failure(description: "no loopback address")
    }
    defer { freeaddrinfo(list) }
    descriptor = socket(info.pointee.ai_family, info.pointee.ai_socktype, info.pointee.ai_protocol)
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    #if canImport(Darwin)
      var isOn: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    #endif
    let isConnected = connect(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0
    // A signal only ends the waiting, not the connecting.
    guard isConnected || errno == EINTR && isConnectedInTheEnd() else {
      // The descriptor is closed with the object, which is whole by now.
      throw Failure(description: "can't connect: \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    close(descriptor)
  }

  /// Sends bytes. A server that has closed the connection is a `Failure`, not the end of the process.
  public func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = retrying { rest.withUnsafeBytes { systemSend(descriptor, $0) } }
      guard count > 0 else { throw Failure(description: "can't send: \(String(cString: strerror(errno)))") }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends text.
  public func send(_ text: String) throws {
    try send(Array(text.utf8))
  }

  /// Tells the server that nothing more will come.
  public func finishSending() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Reads the next response, interim ones (100) too.
  ///
  /// - Parameter isHEAD: the response has no body, whatever its Content-Length says.
  public func response(isHEAD: Bool = false) throws -> RawResponse {
    while true {
      if let end = headerEnd {
        var response = RawResponse(header: received[..<end])
        received.removeFirst(end + 4)
        let isBodiless = isHEAD || response.status < 200 || response.status == 204 || response.status == 304
        if isBodiless { return response }
        guard let text = response["Content-Length"], let length = Int(text) else {
          throw Failure(description: "a response without Content-Length")
        }
        while received.count < length { try receive() }
        response.body = Array(received[..<length])
        received.removeFirst(length)
        return response
      }
      try receive()
    }
  }

  /// Whether the server has closed the connection, once what it sent has been read.
  public func isClosedByServer() -> Bool {
    guard received.isEmpty else { return false }
    var byte: UInt8 = 0
    let count = read(descriptor, &byte, 1)
    if count == 1 { received.append(byte) }
    return count == 0 || count < 0 && errno == ECONNRESET
  }

  /// Reads and forgets what comes until the server closes the connection.
  ///
  /// - Returns: whether it does, before a read's patience is over.
  public func isClosedByServerInTheEnd() -> Bool {
    repeat { received = [] } while (try? receive()) != nil
    return isClosedByServer()
  }

  /// Reads what comes, and ends its own direction with the first of it, or when nothing has come for a
  /// moment.
  ///
  /// - Parameter isOver: whether nothing more can be meant to come; asked when the server, told of the end,
  ///   leaves the connection open.
  /// - Throws: `Failure` when it is still open and not over after ten seconds.
  public func everything(unless isOver: () -> Bool) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var isFinished = false
    for _ in 0..<2000 {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let isReadable = poll(&waiting, 1, isFinished ? 5 : 2) > 0
      if !isFinished { finishSending() } else if !isReadable, isOver() { return received }
      isFinished = true
      guard isReadable else { continue }
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 || count < 0 && errno == ECONNRESET { return received }
      if count > 0 { received.append(contentsOf: buffer[..<count]) }
    }
    throw Failure(description: "the server leaves the connection open")
  }

  private func isConnectedInTheEnd() -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return retrying { Int(poll(&waiting, 1, 10_000)) } > 0 && waiting.revents & Int16(POLLERR) == 0
  }

  /// Calls again what a signal has interrupted.
  private func retrying(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  private var headerEnd: Int? {
    guard received.count >= 4 else { return nil }
    return (0...received.count - 4).first { received[$0..<$0 + 4].elementsEqual("\r\n\r\n".utf8) }
  }

  private func receive() throws {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = retrying { read(descriptor, &buffer, buffer.count) }
    guard count > 0 else {
      throw Failure(
        description: count == 0
          ? "the server closed the connection" : "no answer: \(String(cString: strerror(errno)))")
    }
    received.append(contentsOf: buffer[..<count])
  }
}

/// The system's call, out of the reach of methods of the same name.
func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  #if canImport(Darwin)
    send(descriptor, bytes.baseAddress, bytes.count, 0)
  #else
    send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
  #endif
}

/// A response as it came over the wire.
public struct RawResponse: Sendable {
  public let status: Int
  public let fields: [(name: String, value: String)]
  public var body: [UInt8] = []

  init(header: ArraySlice<UInt8>) {
    let lines = String(decoding: header, as: UTF8.self).split(separator: "\r\n")
    status = lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
    fields = lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
    }
  }

  /// The value of the first field of a name, of either case.
  public subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The values of all fields of a name, of either case.
  public func values(_ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  public var text: String { String(decoding: body, as: UTF8.self) }
}
