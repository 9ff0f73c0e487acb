import JSON

/// A number that only one request of this server has, written in hexadecimal behind a number that
/// only one run of it has.
public struct RequestID: Sendable, CustomStringConvertible {
  /// How many bytes the description has at most.
  static let length = 8 + 1 + 16

  /// The digits of the run's number.
  private static let run = {
    let digits = ByteBuffer(capacity: 8)
    digits.append(atMost: 8) { $0.append(hexadecimal: UInt64(UInt32.random(in: .min ... .max)), digits: 8) }
    return withExtendedLifetime(digits) { digits.bytes.loadUnaligned(as: SIMD8<UInt8>.self) }
  }()
  let number: UInt64

  /// `1f2e3d4c-5`
  public var description: String {
    let text = ByteBuffer(capacity: Self.length)
    text.append(atMost: Self.length) { append(to: &$0) }
    return text.text
  }

  /// Appends the description.
  func append(to text: inout ByteWriter) {
    withUnsafeBytes(of: Self.run) { text.append($0) }
    text.append(UInt8(ascii: "-"))
    text.append(hexadecimal: number, digits: max(1, (67 - number.leadingZeroBitCount) / 4))
  }
}
