#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Bytes that are appended to once and then read: the body of an answer on its way from the
/// database to the socket, without a copy in between.
///
/// Not for two threads at once: one thread fills it and then hands it on.
public final class ByteBuffer: @unchecked Sendable {
  // Safe to send: each buffer has one owner at a time, who hands it on with the response.
  // Unchecked, since no method calls out while it changes them: the checks cost a tenth of what it
  // takes to write a list. What appends is inlinable for the other modules' loops.
  @exclusivity(unchecked) @usableFromInline var start: UnsafeMutableRawPointer
  @exclusivity(unchecked) @usableFromInline var room: Int
  @exclusivity(unchecked) @usableFromInline var end = 0

  /// How many bytes it has room for before it has to grow.
  public var capacity: Int { room }
  /// How many bytes have been appended.
  @inlinable public var count: Int { end }

  public init(capacity: Int = 1024) {
    room = max(capacity, 64)
    start = Self.resized(nil, to: room)
  }

  /// A buffer that begins with a text.
  public convenience init(_ text: String) {
    self.init(capacity: text.utf8.count)
    append(text)
  }

  deinit {
    free(start)
  }

  /// realloc(3), which moves the pages of a large block and not its bytes.
  private static func resized(_ block: UnsafeMutableRawPointer?, to size: Int) -> UnsafeMutableRawPointer {
    guard let block = realloc(block, size) else { preconditionFailure("out of memory") }
    return block
  }

  /// The bytes. Valid until the next append and while the buffer lives.
  @inlinable public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: end)
  }

  /// The bytes as text, for a test or a message.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Takes back what was appended behind the first `count` bytes.
  public func truncate(to count: Int) {
    end = min(end, max(count, 0))
  }

  @inlinable
  func reserve(_ more: Int) {
    if end + more > room { grow(by: more) }
  }

  @usableFromInline
  func grow(by more: Int) {
    let larger = max(room * 2, end + more)
    start = Self.resized(start, to: larger)
    room = larger
  }

  /// Appends a byte.
  @inlinable @inline(__always)
  public func append(_ byte: UInt8) {
    reserve(1)
    start.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
    end += 1
  }

  /// Appends bytes.
  @inlinable @inline(__always)
  public func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    reserve(bytes.count)
    (start + end).copyMemory(from: source, byteCount: bytes.count)
    end += bytes.count
  }

  /// Appends a literal of the program, which needs no conversion.
  @inlinable @inline(__always)
  public func append(_ literal: StaticString) {
    append(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  /// Appends a text as UTF-8.
  @_disfavoredOverload
  public func append(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a number in decimal.
  public func append(_ number: Int64) {
    append(atMost: 20) { $0.append(number) }
  }
}
