import CGnuTLS
import CMicroHTTPD
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// What libmicrohttpd calls, on its own threads. Functions of a file, so that they belong to no actor.

private func server(_ context: UnsafeMutableRawPointer?) -> Server? {
  context.map { Unmanaged<Server>.fromOpaque($0).takeUnretainedValue() }
}

/// libmicrohttpd tells of what it refused before it was a request, and of much else.
func libraryComplained(context: UnsafeMutableRawPointer?, line: UnsafePointer<CChar>) {
  guard let server = server(context) else { return }
  let log = server.log
  let line = String(cString: line)
  guard !line.contains("handshake") else {
    server.handshakeFailures.report(of: server.threads.value, to: log)
    return
  }
  let words = line.split(separator: " ")
  guard let code = zip(words, words.dropFirst(2)).first(where: { $0.0 == "code" })?.1 else {
    log?.write(.debug, "libmicrohttpd", [("detail", .text(String(line.prefix { $0 != "\n" })))])
    return
  }
  let detail =
    switch code {
    case "400":
      "It isn't HTTP, or its Content-Length or chunks can't be read: if the app's address begins with https://, make that http://, or use a port of --https."
    case "414": "The request line is too long."
    case "431": "The request line and the headers are too long."
    default: "libmicrohttpd refused it."
    }
  server.counts.unreadable.add(1, ordering: .relaxed)
  log?.write(
    .warning, "refused what is no request",
    [("status", .number(Int64(code) ?? 0)), ("detail", .text(detail))])
}

/// A server that is about to end takes no new connections. Nor does one that has as many as it may: libmicrohttpd
/// counts those of each port by themselves, and leaves who comes too many waiting where there is one port alone.
func acceptConnection(
  context: UnsafeMutableRawPointer?, address: UnsafePointer<sockaddr>?, length: socklen_t
) -> MHD_Result {
  guard let server = server(context) else { return .NO }
  if server.counts.isDraining.load(ordering: .relaxed) { return .NO }
  return server.identity != nil && server.connections.isFull ? .NO : .YES
}

func connectionChanged(
  context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
  stored: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_ConnectionNotificationCode
) {
  guard let server = server(context), let connection, let stored else { return }
  switch code {
  case .CONNECTION_NOTIFY_STARTED:
    let session = mhd_tls_session(connection)
    let client = ClientConnection(
      descriptor: mhd_connection_fd(connection),
      address: mhd_client_address(connection).flatMap { IPAddress($0) },
      identity: session == nil ? nil : server.identity?.value, thread: server.threads.value)
    client.waitForRequest(from: MonotonicClock.now, seconds: server.limits.requestSeconds)
    server.connections.add(client)
    let pointer = Unmanaged.passRetained(client).toOpaque()
    stored.pointee = pointer
    // For `chooseIdentity`. libmicrohttpd's own use of it is for keys that are agreed upon beforehand.
    if let session {
      gnutls_session_set_ptr(OpaquePointer(session), pointer)
      client.takeOverTransport(of: OpaquePointer(session))
    }
  case .CONNECTION_NOTIFY_CLOSED:
    guard let pointer = stored.pointee else { return }
    let client = Unmanaged<ClientConnection>.fromOpaque(pointer).takeRetainedValue()
    server.connections.remove(client)
    client.forgetSession()
    stored.pointee = nil
  @unknown default: break
  }
}

/// The request line is there, and nothing in it has been changed yet.
func requestLineArrived(
  context: UnsafeMutableRawPointer?, target: UnsafePointer<CChar>?, connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  guard let connection, let client = mhd_socket_context(connection) else { return nil }
  let bytes = UnsafeRawBufferPointer(start: target, count: target.map { strlen($0) } ?? 0)
  let exchange = Unmanaged<ClientConnection>.fromOpaque(client)._withUnsafeGuaranteedRef { client in
    client.thread?._withUnsafeGuaranteedRef { $0.begin(bytes, on: client) }
  }
  if let target, mhd_has_client_discipline() == 0 { hideQuery(target, bytes) }
  return exchange.map { Unmanaged.passRetained($0).toOpaque() }
}

/// Ends the query before its first character, in libmicrohttpd's own buffer, which the callback is only lent:
/// the library would take it apart too and keep a record of each parameter, for which a hundred short
/// ones leave a connection no memory to answer with.
private func hideQuery(_ target: UnsafePointer<CChar>, _ bytes: UnsafeRawBufferPointer) {
  guard let mark = bytes.firstIndex(of: UInt8(ascii: "?"), in: 0..<bytes.count) else { return }
  UnsafeMutablePointer(mutating: target)[mark + 1] = 0
}

func handleRequest(
  context: UnsafeMutableRawPointer?, connection: OpaquePointer?, url: UnsafePointer<CChar>?,
  method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, data: UnsafePointer<CChar>?,
  dataSize: UnsafeMutablePointer<Int>?, stored: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let connection, let method, let version, let dataSize, let pointer = stored?.pointee else {
    return .NO
  }
  let piece = UnsafeRawBufferPointer(start: data, count: dataSize.pointee)
  // Whatever becomes of it, all of it is taken: libmicrohttpd would offer the rest again at once,
  // and for ever.
  dataSize.pointee = 0
  return Unmanaged<Exchange>.fromOpaque(pointer)._withUnsafeGuaranteedRef { exchange in
    if let url, mhd_has_client_discipline() == 0,
      holdsNUL(url, before: version, exchange.request.target.raw.count)
    {
      exchange.targetHoldsNUL = true
    }
    return exchange.proceed(
      connection, method: method, isHTTP11: strcmp(version, "HTTP/1.0") != 0, data: piece)
  }
}

/// Whether the target went on behind a NUL, where C sees its end: between what was seen of it and the version,
/// which stands behind it in libmicrohttpd's buffer, is only the space, now the target's end, and more spaces.
private func holdsNUL(_ target: UnsafePointer<CChar>, before version: UnsafePointer<CChar>, _ seen: Int)
  -> Bool
{
  // Without a version there is a constant of the library's, somewhere else.
  guard version > target, version - target <= 1 << 20, version - target > seen else { return false }
  return UnsafeBufferPointer(start: target + seen, count: version - target - seen).contains {
    $0 != 0 && $0 != 0x20
  }
}

func requestCompleted(
  context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
  stored: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_RequestTerminationCode
) {
  guard let pointer = stored?.pointee, let connection, let client = mhd_socket_context(connection) else {
    return
  }
  Unmanaged<ClientConnection>.fromOpaque(client)._withUnsafeGuaranteedRef { client in
    client.thread?._withUnsafeGuaranteedRef { $0.end(.fromOpaque(pointer)) }
  }
  stored?.pointee = nil
}
