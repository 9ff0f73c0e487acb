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
  /// How much an entry matters; a log writes those up to its own level.
  public enum Level: Int, Comparable, Sendable, CaseIterable {
    case error, warning, info, debug

    public init?(_ name: String) {
      guard let level = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
      self = level
    }

    /// Whether an entry of one level matters more than one of the other.
    public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
  }

  /// How a line looks: for people, or a JSON object for programs.
  public enum Format: String, Sendable {
    case text, json
  }

  /// What stands behind a field's name.
  public enum FieldValue: Sendable {
    case text(String)
    case number(Int64)
    /// Nanoseconds, written as milliseconds.
    case milliseconds(UInt64)
  }

  /// How long lines may gather before they are written, in microseconds.
  private static let gathering: UInt32 = 5000

  private let level: Level
  private let format: Format
  private let lines: BoundedQueue<ByteBuffer>
  private let dropped = Condition(0)
  private let done = Condition(false)

  /// - Parameters:
  ///   - descriptor: where the lines go; standard error by default. It stays the caller's.
  ///   - queueLimit: how many lines may wait to be written.
  public init(
    level: Level, format: Format, descriptor: Int32 = STDERR_FILENO, queueLimit: Int = 16_384
  ) throws(Thread.Exhausted) {
    self.level = level
    lines = BoundedQueue(limit: queueLimit)
    self.format = format
    let (lines, dropped, done) = (lines, dropped, done)
    // A descriptor of its own: whoever closes the other one while lines are on their way doesn't send
    // them into the file that gets its number.
    let descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    _ = try Thread {
      while let batch = lines.popAll(atMost: 1024) {
        Self.write(batch, to: descriptor)
        // Behind the lines that had filled the queue.
        if lines.count == 0 { Self.tell(of: dropped, to: descriptor, format) }
        // Under load the next lines gather meanwhile: a thread that isn't waiting needs no waking.
        usleep(Self.gathering)
      }
      systemClose(descriptor)
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
    let text = ByteBuffer(message)
    write(level, message: text.bytes) { line in
      for (name, value) in fields {
        switch value {
        case .text(let text): line.append(name, text)
        case .number(let number): line.append(name, number)
        case .milliseconds(let nanoseconds): line.append(name, milliseconds: nanoseconds)
        }
      }
    }
  }

  /// Writes an entry whose fields `body` appends; the caller has asked whether its level is written.
  func write(_ level: Level, message: UnsafeRawBufferPointer, _ body: (LogLine) -> Void) {
    let line = LogLine(level, message: message, format: format)
    body(line)
    if lines.push(line.end()) { return }
    dropped.withLock { $0 += 1 }
  }

  /// Writes what waits, for at most a second: a reader that has stopped reading holds up no end.
  public func close() {
    lines.close()
    _ = done.wait(seconds: 1) { $0 ? true : nil }
  }

  /// Writes how many lines have been dropped, if some have, now that there is room again.
  private static func tell(of dropped: Condition<Int>, to descriptor: Int32, _ format: Format) {
    let lost = dropped.withLock { dropped in
      defer { dropped = 0 }
      return dropped
    }
    guard lost > 0 else { return }
    let message = ByteBuffer("log lines dropped: the reader of the log was too slow")
    let line = LogLine(.error, message: message.bytes, format: format)
    line.append("lines", Int64(lost))
    write([line.end()], to: descriptor)
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
}

// The system's calls, out of the reach of the methods of the same names.

private func systemClose(_ descriptor: Int32) {
  close(descriptor)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
