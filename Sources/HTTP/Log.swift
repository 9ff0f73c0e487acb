import JSON
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The program's log: a line for each entry, written by a thread of its own, so that a full or
/// broken pipe holds up nothing else. What doesn't fit is counted and dropped.
public final class Log: Sendable {
  public enum Level: Int, Comparable, Sendable, CaseIterable {
    case error, warning, info, debug

    public init?(_ name: String) {
      guard let level = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
      self = level
    }

    public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
  }

  public enum Format: String, Sendable {
    case text, json
  }

  public enum FieldValue: Sendable {
    case text(String)
    case number(Int64)
    /// Nanoseconds, written as milliseconds.
    case milliseconds(UInt64)
  }

  private let level: Level
  private let format: Format
  private let lines: BoundedQueue<ByteBuffer>
  private let dropped = Condition(0)
  private let done: Condition<Bool>

  /// - Parameters:
  ///   - descriptor: where the lines go; standard error by default.
  ///   - queueLimit: how many lines may wait to be written.
  public init(
    level: Level, format: Format, descriptor: Int32 = STDERR_FILENO, queueLimit: Int = 16_384
  ) throws(Thread.Exhausted) {
    self.level = level
    lines = BoundedQueue(limit: queueLimit)
    self.format = format
    let done = Condition(false)
    self.done = done
    let lines = lines
    _ = try Thread {
      while let batch = lines.popAll(atMost: 1024) { Self.write(batch, to: descriptor) }
      done.withLock { $0 = true }
      done.broadcast()
    }
  }

  deinit {
    close()
  }

  /// Whether entries of this level are written.
  public func writes(_ level: Level) -> Bool { level <= self.level }

  /// Writes an entry.
  public func write(
    _ level: Level, _ message: String, _ fields: [(name: StaticString, value: FieldValue)] = []
  ) {
    guard writes(level) else { return }
    let line = ByteBuffer(capacity: 256)
    switch format {
    case .text: Self.append(to: line, text: message, level, fields)
    case .json: Self.append(to: line, json: message, level, fields)
    }
    line.append(UInt8(ascii: "\n"))
    if lines.push(line) { return }
    dropped.withLock { $0 += 1 }
  }

  /// Writes what waits, for at most a second: a reader that has stopped reading holds up no end.
  public func close() {
    let lost = dropped.withLock { $0 }
    if lost > 0 {
      write(
        .error, "log lines dropped: the reader of the log was too slow", [("lines", .number(Int64(lost)))])
    }
    lines.close()
    _ = done.wait(seconds: 1) { $0 ? true : nil }
  }

  private static func write(_ batch: [ByteBuffer], to descriptor: Int32) {
    let joined = ByteBuffer(capacity: batch.reduce(0) { $0 + $1.count })
    for line in batch { joined.append(line.bytes) }
    var rest = joined.bytes[...]
    while !rest.isEmpty {
      let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
      if count < 0, errno == EINTR { continue }
      // A reader that is gone: there is nobody to tell.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  // MARK: Formats

  private static func append(
    to line: ByteBuffer, text message: String, _ level: Level,
    _ fields: [(name: StaticString, value: FieldValue)]
  ) {
    Timestamp.append(to: line)
    line.append(" \(level) ")
    line.append(oneLine: message)
    for (name, value) in fields {
      line.append(" " as StaticString)
      line.append(name)
      line.append(UInt8(ascii: "="))
      switch value {
      case .text(let text):
        if text.utf8.contains(UInt8(ascii: " ")) {
          line.append(jsonString: text)
        } else {
          line.append(oneLine: text)
        }
      case .number(let number): line.append(number)
      case .milliseconds(let nanoseconds): line.append(milliseconds: nanoseconds)
      }
    }
  }

  private static func append(
    to line: ByteBuffer, json message: String, _ level: Level,
    _ fields: [(name: StaticString, value: FieldValue)]
  ) {
    line.append("{\"time\":\"" as StaticString)
    Timestamp.append(to: line)
    line.append("\",\"level\":\"\(level)\",\"message\":")
    line.append(jsonString: message)
    for (name, value) in fields {
      line.append(",\"" as StaticString)
      line.append(name)
      line.append("\":" as StaticString)
      switch value {
      case .text(let text): line.append(jsonString: text)
      case .number(let number): line.append(number)
      case .milliseconds(let nanoseconds): line.append(milliseconds: nanoseconds)
      }
    }
    line.append(UInt8(ascii: "}"))
  }
}

/// The system's call, out of the reach of the method of the same name.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}

extension ByteBuffer {
  /// Appends text with its control characters escaped, so that no client writes lines of its own.
  fileprivate func append(oneLine text: String) {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return append(text) }
    for scalar in text.unicodeScalars {
      append(scalar.value < 0x20 || scalar.value == 0x7F ? scalar.escaped(asASCII: true) : String(scalar))
    }
  }

  fileprivate func append(milliseconds nanoseconds: UInt64) {
    append(Int64(nanoseconds / 1_000_000))
    append(UInt8(ascii: "."))
    let thousandths = nanoseconds / 1000 % 1000
    for digit in [thousandths / 100, thousandths / 10 % 10, thousandths % 10] {
      append(UInt8(ascii: "0") + UInt8(digit))
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
    func append(_ number: Int, digits: Int) {
      var power = 1
      for _ in 1..<digits { power *= 10 }
      while power > 0 {
        line.append(UInt8(ascii: "0") + UInt8(number / power % 10))
        power /= 10
      }
    }
    append(Int(calendar.tm_year) + 1900, digits: 4)
    line.append(UInt8(ascii: "-"))
    append(Int(calendar.tm_mon) + 1, digits: 2)
    line.append(UInt8(ascii: "-"))
    append(Int(calendar.tm_mday), digits: 2)
    line.append(UInt8(ascii: "T"))
    append(Int(calendar.tm_hour), digits: 2)
    line.append(UInt8(ascii: ":"))
    append(Int(calendar.tm_min), digits: 2)
    line.append(UInt8(ascii: ":"))
    append(Int(calendar.tm_sec), digits: 2)
    line.append(UInt8(ascii: "."))
    append(now.tv_nsec / 1_000_000, digits: 3)
    line.append(UInt8(ascii: "Z"))
  }
}
