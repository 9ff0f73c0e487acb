/// Percent-encoding (RFC 3986, section 2.1).
enum PercentEncoding {
  /// Appends `encoded` to `decoded` with its escapes resolved. What is no escape (`%zz`, a final
  /// `%`) stays as it is.
  static func decode(
    _ encoded: some Collection<UInt8>, plusIsSpace: Bool = false, into decoded: inout [UInt8]
  ) {
    decoded.reserveCapacity(decoded.count + encoded.count)
    var index = encoded.startIndex
    while index < encoded.endIndex {
      let byte = encoded[index]
      index = encoded.index(after: index)
      if byte == UInt8(ascii: "%"), let value = octet(encoded[index...].prefix(2)) {
        decoded.append(value)
        index = encoded.index(index, offsetBy: 2)
      } else {
        decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
  }

  private static func octet(_ digits: some Collection<UInt8>) -> UInt8? {
    guard digits.count == 2 else { return nil }
    var value: UInt8 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | (digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | (digit - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | (digit - UInt8(ascii: "A") + 10)
      default: return nil
      }
    }
    return value
  }

  /// `text` with everything but RFC 3986's unreserved characters escaped: for a path's segment or
  /// a query's value.
  public static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.append(byte)
      default:
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}

extension String {
  /// The text with all but unreserved characters percent-encoded (RFC 3986, section 2.3).
  public var percentEncoded: String { PercentEncoding.encode(self) }
}
