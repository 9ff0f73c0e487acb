import JSON
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A line of the log while it is written: the time, the level and a message, then named fields; text
/// with `name=value`, or a JSON object.
struct LogLine: ~Copyable {
  // Unretained: whoever lends the line keeps the buffer meanwhile.
  private let buffer: Unmanaged<ByteBuffer>
  private let format: Log.Format

  /// Begins a line; a message is to follow.
  ///
  /// - Parameter moment: in nanoseconds of `MonotonicClock`.
  init(
    _ level: Log.Level, at moment: UInt64, _ timestamp: inout Timestamp, format: Log.Format,
    in buffer: ByteBuffer
  ) {
    self.buffer = .passUnretained(buffer)
    self.format = format
    append(atMost: 64) { text in
      append("{\"time\":\"", orText: "", to: &text)
      timestamp.append(moment, to: &text)
      append("\",\"level\":\"", orText: " ", to: &text)
      text.append(Self.name(of: level))
      append("\",\"message\":", orText: " ", to: &text)
    }
  }

  private static func name(of level: Log.Level) -> StaticString {
    switch level {
    case .error: "error"
    case .warning: "warning"
    case .info: "info"
    case .debug: "debug"
    }
  }

  /// Appends the message.
  func append(message text: String) { append(text, quotedInText: false) }

  /// Appends a message of at most so many bytes, which `body` writes in characters that need no escapes in either format.
  @inline(__always)
  func append(plainMessage most: Int, _ body: (inout ByteWriter) -> Void) {
    append(atMost: most + 2) { quote(&$0, body) }
  }

  /// Ends the line.
  func end() {
    append(atMost: 2) { append("}\n", orText: "\n", to: &$0) }
  }

  /// Appends a field.
  func append(_ name: StaticString, _ text: String) {
    append(atMost: Self.room(for: name)) { begin(name, in: &$0) }
    append(text, quotedInText: text.isEmpty || text.utf8.contains(UInt8(ascii: " ")))
  }

  /// Appends any text, as a string in JSON, and in text on one line.
  private func append(_ text: String, quotedInText isQuoted: Bool) {
    var text = text
    text.withUTF8 { bytes in
      buffer._withUnsafeGuaranteedRef { line in
        switch format {
        case .text: line.append(oneLine: UnsafeRawBufferPointer(bytes), quoted: isQuoted)
        case .json: line.append(jsonString: UnsafeRawBufferPointer(bytes))
        }
      }
    }
  }

  /// Appends a text without spaces and characters that need escapes: a route.
  @inline(__always)
  func append(_ name: StaticString, plain text: UnsafeRawBufferPointer) {
    append(name, atMost: text.count + 2) { quote(&$0) { $0.append(text) } }
  }

  /// As above, of a Swift string: an address.
  @inline(__always)
  func append(_ name: StaticString, plain text: String) {
    append(name, atMost: text.utf8.count + 2) { quote(&$0) { $0.append(text) } }
  }

  /// Appends a request's id.
  @inline(__always)
  func append(_ name: StaticString, _ id: RequestID) {
    append(name, atMost: RequestID.length + 2) { quote(&$0) { id.append(to: &$0) } }
  }

  /// Appends a number.
  @inline(__always)
  func append(_ name: StaticString, _ number: Int64) {
    append(name, atMost: 20) { $0.append(number) }
  }

  /// Appends nanoseconds as milliseconds, with three digits behind the point.
  @inline(__always)
  func append(_ name: StaticString, milliseconds nanoseconds: UInt64) {
    append(name, atMost: 24) { text in
      text.append(Int64(nanoseconds / 1_000_000))
      text.append(UInt8(ascii: "."))
      text.append(nanoseconds / 1000, digits: 3)
    }
  }

  @inline(__always)
  private func append(atMost most: Int, _ body: (inout ByteWriter) -> Void) {
    buffer._withUnsafeGuaranteedRef { $0.append(atMost: most, body) }
  }

  /// How many bytes a field's name takes at most, with what stands around it.
  private static func room(for name: StaticString) -> Int { name.utf8CodeUnitCount + 4 }

  @inline(__always)
  private func append(_ name: StaticString, atMost most: Int, _ value: (inout ByteWriter) -> Void) {
    append(atMost: Self.room(for: name) + most) { text in
      begin(name, in: &text)
      value(&text)
    }
  }

  @inline(__always)
  private func begin(_ name: StaticString, in text: inout ByteWriter) {
    append(",\"", orText: " ", to: &text)
    text.append(name)
    append("\":", orText: "=", to: &text)
  }

  /// Appends what stands in JSON or in its place in text. Each is a constant, which takes no call.
  @inline(__always)
  private func append(_ json: StaticString, orText plain: StaticString, to text: inout ByteWriter) {
    switch format {
    case .json: text.append(json)
    case .text: text.append(plain)
    }
  }

  /// Has `body` write a value that is a string in JSON.
  @inline(__always)
  private func quote(_ text: inout ByteWriter, _ body: (inout ByteWriter) -> Void) {
    append("\"", orText: "", to: &text)
    body(&text)
    append("\"", orText: "", to: &text)
  }
}

extension ByteBuffer {
  /// Appends text with its control characters escaped, C0 and C1, so that no client writes lines of
  /// its own or speaks to the terminal.
  fileprivate func append(oneLine text: UnsafeRawBufferPointer, quoted: Bool) {
    if quoted { append(UInt8(ascii: "\"")) }
    if text.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      append(text)
    } else {
      for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
        let isControl = scalar.properties.generalCategory == .control
        let isSyntax = quoted && (scalar == "\"" || scalar == "\\")
        append(isControl || isSyntax ? scalar.escaped(asASCII: true) : String(scalar))
      }
    }
    if quoted { append(UInt8(ascii: "\"")) }
  }
}

/// Writes moments in the form of RFC 3339, in UTC, to the millisecond. What the moments of a second have in common is
/// made once, and the wall clock is asked now and then: the moments are another clock's, which the caller has asked already.
struct Timestamp {
  /// How many bytes it takes.
  static let length = 24
  /// How long the wall clock isn't asked again, in nanoseconds.
  private static let trust: UInt64 = 10_000_000

  private var second = -1
  /// `2026-06-01T12:34:56.`, kept in place.
  private var common = SIMD32<UInt8>()
  /// From when on the wall clock is asked again, in nanoseconds of `MonotonicClock`, and how far it was ahead of that.
  private var expiry: UInt64 = 0
  private var ahead: Int64 = 0

  /// Appends a moment.
  ///
  /// - Parameter moment: in nanoseconds of `MonotonicClock`, some time ago at most.
  mutating func append(_ moment: UInt64, to text: inout ByteWriter) {
    if moment >= expiry { askWallClock() }
    let nanoseconds = UInt64(max(0, Int64(moment) + ahead))
    if Int(nanoseconds / 1_000_000_000) != second { setSecond(Int(nanoseconds / 1_000_000_000)) }
    withUnsafeBytes(of: common) { common in
      text.append(UnsafeRawBufferPointer(start: common.baseAddress, count: Self.length - 4))
    }
    text.append(nanoseconds / 1_000_000, digits: 3)
    text.append(UInt8(ascii: "Z"))
  }

  private mutating func askWallClock() {
    var wall = timespec()
    var (before, after): (UInt64, UInt64)
    // Anew where the thread lost the processor between the two clocks.
    var trials = 3
    repeat {
      before = MonotonicClock.now
      clock_gettime(CLOCK_REALTIME, &wall)
      after = MonotonicClock.now
      trials -= 1
    } while after - before > 100_000 && trials > 0
    expiry = after + Self.trust
    ahead = Int64(wall.tv_sec) * 1_000_000_000 + Int64(wall.tv_nsec) - Int64(after)
  }

  private mutating func setSecond(_ seconds: Int) {
    second = seconds
    var seconds = seconds
    var calendar = tm()
    gmtime_r(&seconds, &calendar)
    let text = ByteBuffer(capacity: Self.length)
    text.append(atMost: Self.length) { text in
      for (number, digits, end) in [
        (calendar.tm_year + 1900, 4, "-"), (calendar.tm_mon + 1, 2, "-"), (calendar.tm_mday, 2, "T"),
        (calendar.tm_hour, 2, ":"), (calendar.tm_min, 2, ":"), (calendar.tm_sec, 2, "."),
      ] as [(Int32, Int, StaticString)] {
        text.append(UInt64(number), digits: digits)
        text.append(end)
      }
    }
    withExtendedLifetime(text) {
      for (index, byte) in text.bytes.enumerated() { common[index] = byte }
    }
  }
}
