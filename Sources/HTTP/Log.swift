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

  /// The lines that wait to be written, whole, in the memory that is handed to the system as it is.
  private struct Waiting {
    var text = ByteBuffer(capacity: 64 << 10)
    var lines = 0
    /// Lines that have been taken from here and are on their way to the system.
    var leaving = 0
    /// Lines that found no room.
    var dropped = 0
    /// The same since the beginning.
    var allDropped: UInt64 = 0
    var isClosed = false
  }

  /// Where a thread writes its line, so that others wait for its copy alone and not until it is written.
  private final class Draft {
    let text = ByteBuffer(capacity: 1024)
    @exclusivity(unchecked) var moment = Timestamp()

    /// Writes a line, over the one before.
    func write(_ level: Level, _ format: Format, _ body: (LogLine) -> Void) {
      text.truncate(to: 0)
      let line = LogLine(level, at: &moment, format: format, in: text)
      body(line)
      line.end()
    }
  }

  /// A buffer that a burst has made larger than this many bytes isn't kept.
  private static let keptCapacity = 1 << 20

  private let level: Level
  private let format: Format
  private let queueLimit: Int
  private let waiting = Condition(Waiting())
  private let done = Condition(false)
  private let drafts: ThreadLocal<Draft>

  /// - Parameters:
  ///   - descriptor: where the lines go; standard error by default. It stays the caller's.
  ///   - queueLimit: how many lines may wait to be written.
  public init(
    level: Level, format: Format, descriptor: Int32 = STDERR_FILENO, queueLimit: Int = 16_384
  ) throws(Thread.Exhausted) {
    self.level = level
    self.format = format
    self.queueLimit = queueLimit
    drafts = try ThreadLocal { Draft() }
    let (waiting, done) = (waiting, done)
    // A descriptor of its own: whoever closes the other one while lines are on their way doesn't send
    // them into the file that gets its number.
    let descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    _ = try Thread {
      var spare = ByteBuffer(capacity: 64 << 10)
      while let text = waiting.wait(until: { Self.take(from: &$0, leaving: spare, format) }) {
        Self.write(text.bytes, to: descriptor)
        text.truncate(to: 0)
        spare = text.capacity > Self.keptCapacity ? ByteBuffer(capacity: 64 << 10) : text
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

  /// How many lines have found no room since the beginning.
  public var droppedLines: UInt64 { waiting.withLock { $0.allDropped } }

  /// Whether entries of this level are written.
  public func writes(_ level: Level) -> Bool { level <= self.level }

  /// Writes an entry.
  public func write(
    _ level: Level, _ message: String, _ fields: [(name: StaticString, value: FieldValue)] = []
  ) {
    guard writes(level) else { return }
    write(level) { line in
      line.append(message: message)
      for (name, value) in fields {
        switch value {
        case .text(let text): line.append(name, text)
        case .number(let number): line.append(name, number)
        case .milliseconds(let nanoseconds): line.append(name, milliseconds: nanoseconds)
        }
      }
    }
  }

  /// Writes an entry whose message and fields `body` appends; the caller has asked whether its level is
  /// written.
  @inline(never)
  func write(_ level: Level, _ body: (LogLine) -> Void) {
    let draft = drafts.value
    draft.write(level, format, body)
    let isFirst = waiting.withLock { waiting in
      guard waiting.lines + waiting.leaving < queueLimit, !waiting.isClosed else {
        waiting.dropped += 1
        waiting.allDropped += 1
        return false
      }
      waiting.text.append(draft.text.bytes)
      waiting.lines += 1
      return waiting.lines == 1
    }
    if isFirst { waiting.signal() }
  }

  /// Writes what waits, for at most a second: a reader that has stopped reading holds up no end.
  public func close() {
    waiting.withLock { $0.isClosed = true }
    waiting.broadcast()
    _ = done.wait(seconds: 1) { $0 ? true : nil }
  }

  // MARK: On the log's thread

  /// What waits to be written, and behind it how many lines have been dropped for it.
  ///
  /// - Returns: the text; nil inside once the log is closed and empty, nil outside while there is nothing.
  private static func take(from waiting: inout Waiting, leaving spare: ByteBuffer, _ format: Format)
    -> ByteBuffer??
  {
    waiting.leaving = 0
    guard waiting.lines > 0 else { return waiting.isClosed ? .some(nil) : nil }
    if waiting.dropped > 0 {
      let draft = Draft()
      draft.write(.error, format) { line in
        line.append(message: "log lines dropped: the reader of the log was too slow")
        line.append("lines", Int64(waiting.dropped))
      }
      waiting.text.append(draft.text.bytes)
    }
    defer {
      (waiting.text, waiting.lines, waiting.leaving, waiting.dropped) = (spare, 0, waiting.lines, 0)
    }
    return waiting.text
  }

  private static func write(_ text: UnsafeRawBufferPointer, to descriptor: Int32) {
    var rest = text[...]
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
