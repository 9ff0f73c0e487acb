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

  init(_ level: Log.Level, message: UnsafeRawBufferPointer, format: Log.Format) {
    line = ByteBuffer(capacity: 320)
    self.format = format
    let name = Self.name(of: level)
    switch format {
    case .text:
      Timestamp.append(to: line)
      line.append(UInt8(ascii: " "))
      line.append(name)
      line.append(UInt8(ascii: " "))
      line.append(oneLine: message)
    case .json:
      line.append("{\"time\":\"" as StaticString)
      Timestamp.append(to: line)
      line.append("\",\"level\":\"" as StaticString)
      line.append(name)
      line.append("\",\"message\":" as StaticString)
      line.append(jsonString: message)
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

  /// Ends the line.
  func end() -> ByteBuffer {
    if format == .json { line.append(UInt8(ascii: "}")) }
    line.append(UInt8(ascii: "\n"))
    return line
  }

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

  func append(_ name: StaticString, _ number: Int64) {
    begin(name)
    line.append(number)
  }

  /// Appends nanoseconds as milliseconds, with three digits behind the point.
  func append(_ name: StaticString, milliseconds nanoseconds: UInt64) {
    begin(name)
    line.append(Int64(nanoseconds / 1_000_000))
    line.append(UInt8(ascii: "."))
    line.append(digits: Int(nanoseconds / 1000 % 1000), count: 3)
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

  /// Appends a number with leading zeros.
  fileprivate func append(digits number: Int, count: Int) {
    var power = 1
    for _ in 1..<count { power *= 10 }
    while power > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / power % 10))
      power /= 10
    }
  }
}

/// The moment in the form of RFC 3339, in UTC, to the millisecond.
enum Timestamp {
  static func append(to line: ByteBuffer) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var seconds = now.tv_sec
    var calendar = tm()
    gmtime_r(&seconds, &calendar)
    line.append(digits: Int(calendar.tm_year) + 1900, count: 4)
    line.append(UInt8(ascii: "-"))
    line.append(digits: Int(calendar.tm_mon) + 1, count: 2)
    line.append(UInt8(ascii: "-"))
    line.append(digits: Int(calendar.tm_mday), count: 2)
    line.append(UInt8(ascii: "T"))
    line.append(digits: Int(calendar.tm_hour), count: 2)
    line.append(UInt8(ascii: ":"))
    line.append(digits: Int(calendar.tm_min), count: 2)
    line.append(UInt8(ascii: ":"))
    line.append(digits: Int(calendar.tm_sec), count: 2)
    line.append(UInt8(ascii: "."))
    line.append(digits: now.tv_nsec / 1_000_000, count: 3)
    line.append(UInt8(ascii: "Z"))
  }
}
