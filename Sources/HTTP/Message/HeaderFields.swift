import CMicroHTTPD

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The header fields of a request that this server reads, and what makes the header no header.
///
/// The values are libmicrohttpd's own memory and valid until the answer has been sent.
struct HeaderFields {
  private(set) var host: UnsafeRawBufferPointer?
  private(set) var contentLength: UnsafeRawBufferPointer?
  private(set) var transferEncoding: UnsafeRawBufferPointer?
  private(set) var expect: UnsafeRawBufferPointer?
  private(set) var accept: UnsafeRawBufferPointer?
  private(set) var ifNoneMatch: UnsafeRawBufferPointer?
  private(set) var authorization: UnsafeRawBufferPointer?
  private(set) var idempotencyKey: UnsafeRawBufferPointer?
  private(set) var accessControlRequestMethod: UnsafeRawBufferPointer?
  private(set) var accessControlRequestHeaders: UnsafeRawBufferPointer?
  private(set) var forwardedFor: UnsafeRawBufferPointer?
  private(set) var forwardedHost: UnsafeRawBufferPointer?
  private(set) var forwardedProto: UnsafeRawBufferPointer?
  /// How much of the connection's memory the header takes: its bytes, and libmicrohttpd's record of each
  /// field; cookies it keeps twice.
  private(set) var memory = 0
  /// Why the request has to be refused and its connection closed; the first reason found.
  private(set) var defect: String?

  /// A header without a field.
  init() {}

  /// Reads the header of the connection's current request.
  mutating func read(from connection: OpaquePointer) {
    withUnsafeMutablePointer(to: &self) { fields in
      _ = MHD_get_connection_values_n(connection, .HEADER_KIND, readField, fields)
    }
  }

  /// How much of a connection's memory the trailers of its current request take.
  static func trailerMemory(of connection: OpaquePointer) -> Int {
    var memory = 0
    withUnsafeMutablePointer(to: &memory) { memory in
      _ = MHD_get_connection_values_n(connection, .FOOTER_KIND, measureField, memory)
    }
    return memory
  }

  fileprivate static func memory(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Int {
    name.count + value.count + 4 + 64
  }

  /// Takes in a field; name and value lie where they were received.
  mutating func read(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    memory += Self.memory(name: name, value: value)
    if name.equals("cookie") { memory += value.count + 64 * value.count { $0 == UInt8(ascii: ";") } + 64 }
    guard Self.isOneLine(name: name, value: value) else {
      return refuse("A header line begins with white space (a folded header): write each header on one line.")
    }
    let tokenCharacters = Self.tokenCharacters
    guard !name.isEmpty, name.allSatisfy(tokenCharacters.contains) else {
      return refuse("A header's name holds white space or another character that a name can't have.")
    }
    let value = value.trimmed
    switch name.count {
    case 4 where name.equals("host"):
      if host != nil { refuse("The header Host is there twice.") }
      host = value
    case 6 where name.equals("expect"): expect = value
    case 6 where name.equals("accept"): accept = value
    case 13 where name.equals("if-none-match"): ifNoneMatch = value
    case 13 where name.equals("authorization"): authorization = value
    case 14 where name.equals("content-length"):
      if contentLength != nil { refuse("The header Content-Length is there twice.") }
      contentLength = value
    case 15 where name.equals("x-forwarded-for"): forwardedFor = value
    case 15 where name.equals("idempotency-key"):
      if idempotencyKey != nil { refuse("The header Idempotency-Key is there twice.") }
      idempotencyKey = value
    case 16 where name.equals("x-forwarded-host"): forwardedHost = value
    case 17 where name.equals("transfer-encoding"):
      if transferEncoding != nil { refuse("The header Transfer-Encoding is there twice.") }
      transferEncoding = value
    case 17 where name.equals("x-forwarded-proto"): forwardedProto = value
    case 29 where name.equals("access-control-request-method"): accessControlRequestMethod = value
    case 30 where name.equals("access-control-request-headers"): accessControlRequestHeaders = value
    default: break
    }
  }

  private mutating func refuse(_ reason: String) {
    if defect == nil { defect = reason }
  }

  /// What RFC 9112 asks of the header as a whole (sections 3.2 and 6.3); call once all is read.
  ///
  /// - Parameter connection: the one that it came on.
  mutating func checkFraming(isHTTP11: Bool, on connection: ClientConnection) {
    if let host {
      if !connection.isValid(host: host) {
        refuse("The header Host is not a host name or address with an optional port.")
      }
    } else if isHTTP11 {
      refuse("The header Host is missing; HTTP/1.1 asks for it.")
    }
    if let transferEncoding {
      if contentLength != nil { refuse("A request can't have both Content-Length and Transfer-Encoding.") }
      // RFC 9112, section 6.1.
      if !isHTTP11 { refuse("HTTP/1.0 knows no Transfer-Encoding: send a Content-Length.") }
      if !transferEncoding.equals("chunked") { refuse("The only Transfer-Encoding known here is chunked.") }
    }
  }

  /// Whether name and value stood on one line: libmicrohttpd leaves both where they were received,
  /// and moves only the name of a folded header, to append the folded text to it.
  private static func isOneLine(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Bool {
    guard let nameStart = name.baseAddress, let valueStart = value.baseAddress else { return true }
    let gap = valueStart - nameStart - name.count
    guard gap >= 1, gap <= 1 << 16 else { return false }
    return UnsafeRawBufferPointer(start: nameStart + name.count + 1, count: gap - 1)
      .allSatisfy { $0 == 0x20 || $0 == 0x09 }
  }

  /// RFC 9110, section 5.6.2.
  private static let tokenCharacters = ASCIISet(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-!#$%&'*+.^_`|~")
}

private func readField(
  fields: UnsafeMutableRawPointer?, kind: MHD_ValueKind, name: UnsafePointer<CChar>?, nameSize: Int,
  value: UnsafePointer<CChar>?, valueSize: Int
) -> MHD_Result {
  fields?.assumingMemoryBound(to: HeaderFields.self).pointee.read(
    name: UnsafeRawBufferPointer(start: name, count: nameSize),
    value: UnsafeRawBufferPointer(start: value, count: valueSize))
  return .YES
}

private func measureField(
  memory: UnsafeMutableRawPointer?, kind: MHD_ValueKind, name: UnsafePointer<CChar>?, nameSize: Int,
  value: UnsafePointer<CChar>?, valueSize: Int
) -> MHD_Result {
  memory?.assumingMemoryBound(to: Int.self).pointee += HeaderFields.memory(
    name: UnsafeRawBufferPointer(start: name, count: nameSize),
    value: UnsafeRawBufferPointer(start: value, count: valueSize))
  return .YES
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are this lower-case ASCII text, letters of either case.
  func equals(_ lowercase: StaticString) -> Bool {
    guard count == lowercase.utf8CodeUnitCount else { return false }
    for index in 0..<count {
      let byte = self[index]
      let folded = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
      if folded != lowercase.utf8Start[index] { return false }
    }
    return true
  }

  /// Whether the bytes are those of another buffer.
  public func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count, let baseAddress, let start = other.baseAddress else {
      return count == other.count
    }
    return memcmp(baseAddress, start, count) == 0
  }

  /// Where a byte comes first in a range, by memchr(3).
  func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    guard let baseAddress, let found = memchr(baseAddress + range.lowerBound, Int32(byte), range.count) else {
      return nil
    }
    return UnsafeRawPointer(found) - baseAddress
  }

  /// The bytes without the white space around them (RFC 9110, section 5.6.3).
  var trimmed: UnsafeRawBufferPointer {
    var start = startIndex
    var end = endIndex
    while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
    while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: self[start..<end])
  }

  var text: String { String(decoding: self, as: UTF8.self) }
}
