/// Writes bytes one after the other into room that a `ByteBuffer` has made for all of them: where a text is put
/// together from many small pieces, the buffer is asked once and not for each. Writing past the room ends the program.
public struct ByteWriter: ~Copyable {
  @usableFromInline var position: UnsafeMutableRawPointer
  @usableFromInline var room: Int

  @inlinable
  init(at start: UnsafeMutableRawPointer, room: Int) {
    position = start
    self.room = room
  }

  /// Takes so many bytes of the room.
  @inlinable @inline(__always)
  mutating func advance(_ count: Int) -> UnsafeMutableRawPointer {
    precondition(count <= room, "more bytes than there is room for")
    defer {
      position += count
      room -= count
    }
    return position
  }

  /// Appends a byte.
  @inlinable @inline(__always)
  public mutating func append(_ byte: UInt8) {
    advance(1).storeBytes(of: byte, as: UInt8.self)
  }

  /// Appends bytes.
  @inlinable @inline(__always)
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    advance(bytes.count).copyMemory(from: source, byteCount: bytes.count)
  }

  /// Appends a literal of the program, which needs no conversion.
  @inlinable @inline(__always)
  public mutating func append(_ literal: StaticString) {
    append(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  /// Appends a text as UTF-8. No reference to it is counted.
  @inlinable @inline(__always) @_disfavoredOverload
  public mutating func append(_ text: String) {
    let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { append(UnsafeRawBufferPointer($0)) }
    if isDone == nil { for byte in text.utf8 { append(byte) } }
  }

  /// Appends a number in decimal: at most 20 bytes.
  @inlinable
  public mutating func append(_ number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    let magnitude = number.magnitude
    var digits = 1
    var power: UInt64 = 10
    while digits < 19, magnitude >= power {
      digits += 1
      power *= 10
    }
    append(magnitude, digits: digits)
  }

  /// Appends the last so many digits of a number in decimal, leading zeros included.
  @inlinable @inline(__always)
  public mutating func append(_ number: UInt64, digits: Int) {
    let start = advance(digits)
    var rest = number
    for position in (0..<digits).reversed() {
      start.storeBytes(of: Self.digit(rest % 10), toByteOffset: position, as: UInt8.self)
      rest /= 10
    }
  }

  /// Appends the last so many digits of a number in hexadecimal, leading zeros included.
  @inlinable @inline(__always)
  public mutating func append(hexadecimal number: UInt64, digits: Int) {
    let start = advance(digits)
    var rest = number
    for position in (0..<digits).reversed() {
      start.storeBytes(of: Self.digit(rest & 15), toByteOffset: position, as: UInt8.self)
      rest >>= 4
    }
  }

  @inlinable @inline(__always)
  static func digit(_ value: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: value) + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
  }
}

extension ByteBuffer {
  /// Appends what `body` writes, which leaves the buffer itself alone meanwhile.
  ///
  /// - Parameter most: how many bytes that may be.
  @inlinable @inline(__always)
  public func append(atMost most: Int, _ body: (inout ByteWriter) -> Void) {
    reserve(most)
    let first = start + end
    var writer = ByteWriter(at: first, room: most)
    body(&writer)
    precondition(first == start + end, "the buffer was appended to by two at once")
    end = writer.position - start
  }
}
