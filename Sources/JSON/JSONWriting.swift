/// Writing JSON (RFC 8259) into a buffer: what a resource's encoder needs and no more.
extension ByteBuffer {
  /// Appends a JSON string: quotes, and escapes for `"`, `\` and the control characters (RFC 8259,
  /// section 7). Everything else, U+2028 and emoji too, goes out as it is.
  ///
  /// - Parameter text: UTF-8, not checked again.
  public func append(jsonString text: UnsafeRawBufferPointer) {
    append(UInt8(ascii: "\""))
    var runStart = 0
    for index in text.indices {
      let byte = text[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
      append(UnsafeRawBufferPointer(rebasing: text[runStart..<index]))
      append(escaped: byte)
      runStart = index + 1
    }
    append(UnsafeRawBufferPointer(rebasing: text[runStart...]))
    append(UInt8(ascii: "\""))
  }

  /// As above, of a Swift string.
  public func append(jsonString text: String) {
    var text = text
    text.withUTF8 { append(jsonString: UnsafeRawBufferPointer($0)) }
  }

  /// Appends what stands before the value of an object's member that isn't the first.
  public func append(nextMember name: String) {
    append(UInt8(ascii: ","))
    append(jsonString: name)
    append(UInt8(ascii: ":"))
  }

  private func append(escaped byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"" as StaticString)
    case UInt8(ascii: "\\"): append("\\\\" as StaticString)
    case 0x08: append("\\b" as StaticString)
    case 0x09: append("\\t" as StaticString)
    case 0x0A: append("\\n" as StaticString)
    case 0x0C: append("\\f" as StaticString)
    case 0x0D: append("\\r" as StaticString)
    default:
      append("\\u00" as StaticString)
      append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
      let low = byte & 0x0F
      append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
    }
  }
}
