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

  private let level: Level
  let output: LogOutput

  /// - Parameters:
  ///   - descriptor: where the lines go; standard error by default. It stays the caller's.
  ///   - queueLimit: how many lines of each thread may wait to be written.
  public init(
    level: Level, format: Format, descriptor: Int32 = STDERR_FILENO, queueLimit: Int = 16_384
  ) throws(Thread.Exhausted) {
    self.level = level
    // A descriptor of its own: whoever closes the other one while lines are on their way doesn't send
    // them into the file that gets its number.
    output = try LogOutput(format, to: fcntl(descriptor, F_DUPFD_CLOEXEC, 0), limit: queueLimit)
  }

  deinit {
    close()
  }

  /// How many lines have found no room since the beginning.
  public var droppedLines: UInt64 { output.droppedLines }

  /// Whether entries of this level are written.
  public func writes(_ level: Level) -> Bool { level <= self.level }

  /// Writes an entry.
  public func write(
    _ level: Level, _ message: String, _ fields: [(name: StaticString, value: FieldValue)] = []
  ) {
    guard writes(level) else { return }
    output.write(level, at: MonotonicClock.now) { line in
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

  /// Writes what waits, for at most a second: a reader that has stopped reading holds up no end.
  public func close() { output.close() }
}
