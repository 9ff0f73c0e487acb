import JSON

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A line of the log while it is written: the time, the level and a message, then named fields; text
/// with `name=value`, or a JSON object.
struct LogLine {
  private let line: ByteBuffer
  private let format: Log.Format

  /// Begins a line; `append(message:)` is to follow.
  init(_ level: Log.Level, at moment: inout Timestamp, format: Log.Format, in buffer: ByteBuffer) {
    line = buffer
    self.format = format
    let name = Self.name(of: level)
    switch format {
    case .text:
      moment.append(to: line)
      line.append(UInt8(ascii: " "))
      line.append(name)
      line.append(UInt8(ascii: " "))
    case .json:
      line.append("{\"time\":\"" as StaticString)
      moment.append(to: line)
      line.append("\",\"level\":\"" as StaticString)
      line.append(name)
      line.append("\",\"message\":" as StaticString)
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
  func append(message text: String) {
    var text = text
    text.withUTF8 { bytes in
      switch format {
      case .text: line.append(oneLine: UnsafeRawBufferPointer(bytes))
      case .json: line.append(jsonString: UnsafeRawBufferPointer(bytes))
      }
    }
  }

  /// Appends a message that `body` writes in characters that need no escapes in either format.
  func append(plainMessage body: (ByteBuffer) -> Void) {
    quoted { body(line) }
  }

  /// Ends the line.
  func end() {
    if format == .json { line.append(UInt8(ascii: "}")) }
    line.append(UInt8(ascii: "\n"))
  }

  private func quoted(_ body: () -> Void) {
    if format == .json { line.append(UInt8(ascii: "\"")) }
    body()
    if format == .json { line.append(UInt8(ascii: "\"")) }
  }

  @inline(__always)
  private func begin(_ name: StaticString) {
    switch format {
    case .text:
      line.append(UInt8(ascii: " "))
      line.append(name)
      line.append(UInt8(ascii: "="))
    case .json:
      line.append(",\"" as StaticString)
      line.append(name)
      line.append("\":" as StaticString)
    }
  }

  func append(_ name: StaticString, _ text: String) {
    begin(name)
    var text = text
    text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      switch format {
      case .json: line.append(jsonString: bytes)
      case .text: line.append(oneLine: bytes, quoted: bytes.contains(UInt8(ascii: " ")) || bytes.isEmpty)
      }
    }
  }

  /// Appends a text without spaces and characters that need escapes: an address, an id, a route.
  func append(_ name: StaticString, plain text: String) {
    begin(name)
    quoted { line.append(text) }
  }

  /// Appends a request's id.
  func append(_ name: StaticString, _ id: RequestID) {
    begin(name)
    quoted { id.append(to: line) }
  }

  func append(_ name: StaticString, _ number: Int64) {
    begin(name)
    line.append(number)
  }

  /// Appends nanoseconds as milliseconds, with three digits behind the point.
  func append(_ name: StaticString, milliseconds nanoseconds: UInt64) {
    begin(name)
    line.append(Int64(nanoseconds / 1_000_000))
    line.append(UInt8(ascii: "."))
    line.append(thousandths: Int(nanoseconds / 1000 % 1000))
  }
}

extension ByteBuffer {
  /// Appends text with its control characters escaped, C0 and C1, so that no client writes lines of
  /// its own or speaks to the terminal.
  fileprivate func append(oneLine text: UnsafeRawBufferPointer, quoted: Bool = false) {
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

  /// Appends the last so many digits of a number, leading zeros included.
  fileprivate func append(digits number: Int, count: Int) {
    if count > 1 { append(digits: number / 10, count: count - 1) }
    append(digit: number % 10)
  }

  /// Appends three digits: as `append(digits:count:)`, without a division that the processor has to make.
  @inline(__always)
  fileprivate func append(thousandths number: Int) {
    let number = UInt32(truncatingIfNeeded: number)
    append(digit: Int(number / 100))
    append(digit: Int(number / 10 % 10))
    append(digit: Int(number % 10))
  }

  @inline(__always)
  private func append(digit: Int) {
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
  }
}

/// Writes the moment in the form of RFC 3339, in UTC, to the millisecond. What the moments of a second
/// have in common is made once.
struct Timestamp {
  private var second = -1
  /// The moment that was appended last, in nanoseconds since 1970.
  private(set) var nanoseconds: Int64 = 0
  /// `2026-06-01T12:34:56.`
  private let common = ByteBuffer(capacity: 64)

  /// Appends the moment.
  mutating func append(to line: ByteBuffer) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    if now.tv_sec != second { setSecond(now.tv_sec) }
    nanoseconds = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    line.append(common.bytes)
    line.append(thousandths: now.tv_nsec / 1_000_000)
    line.append(UInt8(ascii: "Z"))
  }

  private mutating func setSecond(_ seconds: Int) {
    second = seconds
    var seconds = seconds
    var calendar = tm()
    gmtime_r(&seconds, &calendar)
    common.truncate(to: 0)
    for (number, digits, end) in [
      (Int(calendar.tm_year) + 1900, 4, "-"), (Int(calendar.tm_mon) + 1, 2, "-"),
      (Int(calendar.tm_mday), 2, "T"), (Int(calendar.tm_hour), 2, ":"), (Int(calendar.tm_min), 2, ":"),
      (Int(calendar.tm_sec), 2, "."),
    ] {
      common.append(digits: number, count: digits)
      common.append(end)
    }
  }
}
