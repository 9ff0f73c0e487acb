import Foundation
import Testing
import Threads

@testable import HTTP

/// How many lines of a thread may wait in a log that isn't told otherwise.
private let queueLimit = 16_384

/// A log whose lines go into a pipe.
private final class PipedLog {
  let log: Log
  private let pipe = Pipe()

  init(
    level: Log.Level = .debug, format: Log.Format = .text, queueLimit: Int = queueLimit
  ) throws {
    ignoreBrokenPipes()
    log = try Log(
      level: level, format: format, descriptor: pipe.fileHandleForWriting.fileDescriptor,
      queueLimit: queueLimit)
  }

  /// Ends the log and gives all that it wrote; only for what has room in a pipe.
  func finish() throws -> String {
    log.close()
    return try rest()
  }

  /// What is in the pipe, to its end.
  func rest() throws -> String {
    try pipe.fileHandleForWriting.close()
    return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  }

  func stopReading() throws { try pipe.fileHandleForReading.close() }

  /// Reads to the end on a thread of its own.
  func read(_ take: @escaping @Sendable (String) -> Void) throws -> Threads.Thread {
    let handle = pipe.fileHandleForReading
    return try Threads.Thread {
      while case let data = handle.availableData, !data.isEmpty {
        take(String(decoding: data, as: UTF8.self))
      }
    }
  }

  func closeWriting() throws { try pipe.fileHandleForWriting.close() }
}

@Suite("The log", .timeLimit(.minutes(1)))
struct LogTests {
  @Test("a line has the moment, the level, the message and the fields")
  func text() throws {
    let piped = try PipedLog()
    let before = Date()
    piped.log.write(
      .warning, "GET /a",
      [
        ("status", .number(404)), ("ms", .milliseconds(12_034_567)), ("detail", .text("two words")),
        ("id", .text("a-1")),
      ])
    let line = try piped.finish()
    let parts = line.split(separator: " ", maxSplits: 1)
    let time = try Date(
      String(parts[0]), strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
    #expect(abs(time.timeIntervalSince(before)) < 30)
    #expect(parts[1] == "warning GET /a status=404 ms=12.034 detail=\"two words\" id=a-1\n")
  }

  @Test(
    "no text writes a line or moves a terminal's cursor: control characters are escaped",
    arguments: ["\n", "\r", "\t", "\u{0}", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}"],
    ["message", "field", "field with a space"])
  func controlCharacters(character: String, place: String) throws {
    let piped = try PipedLog()
    let text = "one" + character + "two" + (place == "field with a space" ? " three" : "")
    if place == "message" {
      piped.log.write(.error, text)
    } else {
      piped.log.write(.error, "message", [("field", .text(text))])
    }
    let line = try piped.finish()
    #expect(line.hasSuffix("\n"))
    #expect(line.contains("one") && line.contains("two"))
    #expect(line.unicodeScalars.dropLast().allSatisfy { $0.properties.generalCategory != .control })
  }

  @Test("every line of JSON is an object that Foundation reads, text and numbers unchanged")
  func json() throws {
    let piped = try PipedLog(format: .json)
    let texts = ["", "a b", "\"\\\n\r\t\u{0}\u{1B}\u{7F}\u{85}", "é😀\u{2028}", "{\"a\":1}"]
    for text in texts {
      piped.log.write(
        .info, text, [("field", .text(text)), ("n", .number(.min)), ("ms", .milliseconds(1_000_567))])
    }
    let lines = try piped.finish().split(separator: "\n")
    #expect(lines.count == texts.count)
    for (line, text) in zip(lines, texts) {
      let entry = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(entry["level"] as? String == "info")
      #expect(entry["message"] as? String == text)
      #expect(entry["field"] as? String == text)
      #expect(entry["n"] as? Int == .min)
      #expect(entry["ms"] as? Double == 1.000)
      #expect(entry["time"] is String)
    }
  }

  @Test("only what is at least as grave as the level is written", arguments: Log.Level.allCases)
  func levels(level: Log.Level) throws {
    let piped = try PipedLog(level: level)
    for each in Log.Level.allCases {
      piped.log.write(each, "message")
      #expect(piped.log.writes(each) == (each <= level))
    }
    let written = try piped.finish().split(separator: "\n").map { $0.split(separator: " ")[1] }
    #expect(written == Log.Level.allCases.filter { $0 <= level }.map { "\($0)" })
    #expect(Log.Level("\(level)") == level)
    #expect(Log.Level("loud") == nil)
  }

  @Test("lines come out whole and in their order, from many threads")
  func threads() throws {
    let piped = try PipedLog()
    let text = Condition("")
    let reader = try piped.read { piece in text.withLock { $0 += piece } }
    let log = piped.log
    let writers = try (0..<4).map { thread in
      try Threads.Thread { for number in 0..<1000 { log.write(.info, "\(thread) \(number)") } }
    }
    for writer in writers { writer.join() }
    log.close()
    try piped.closeWriting()
    reader.join()
    let lines = text.withLock { $0 }.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(lines.count == 4000)
    for thread in 0..<4 {
      #expect(lines.filter { $0[2] == "\(thread)" }.map { Int($0[3]) } == Array(0..<1000))
    }
  }

  @Test("what comes after a line of another thread stands behind it")
  func turns() throws {
    let piped = try PipedLog()
    let text = Condition("")
    let reader = try piped.read { piece in text.withLock { $0 += piece } }
    let (log, turn, count) = (piped.log, Condition(0), 30_000)
    let writers = try (0..<3).map { thread in
      try Threads.Thread {
        for number in stride(from: thread, to: count, by: 3) {
          turn.wait { $0 == number ? () : nil }
          log.write(.info, "\(number)")
          turn.withLock { $0 += 1 }
          turn.broadcast()
        }
      }
    }
    for writer in writers { writer.join() }
    log.close()
    try piped.closeWriting()
    reader.join()
    let lines = text.withLock { $0 }.split(separator: "\n").map { Int($0.split(separator: " ")[2]) }
    let isInOrder = lines == Array(0..<count)
    #expect(isInOrder)
  }

  @Test("a pipe that nobody reads holds up neither those who write nor the end")
  func fullPipe() throws {
    let piped = try PipedLog()
    for number in 0..<queueLimit + 5000 { piped.log.write(.info, "\(number)") }
    piped.log.close()
    // Whoever reads again later gets whole lines from the first one on.
    let reader = try piped.rest().split(separator: "\n")
    #expect(reader.count > 1000)
    #expect(reader.dropLast().enumerated().allSatisfy { $1.hasSuffix(" info \($0)") })
    #expect(reader.last?.contains("log lines dropped") == true)
  }

  @Test("a reader that is gone holds up nothing")
  func brokenPipe() throws {
    let piped = try PipedLog()
    try piped.stopReading()
    for number in 0..<100 { piped.log.write(.info, "\(number)") }
    piped.log.close()
  }

  @Test("where there is room for one line at a time, the next one finds it when that is written")
  func oneAtATime() throws {
    let piped = try PipedLog(queueLimit: 1)
    let text = Condition("")
    let reader = try piped.read { piece in
      text.withLock { $0 += piece }
      text.broadcast()
    }
    for number in 0..<5 {
      // One that comes too early is dropped.
      var isThere = false
      for _ in 0..<500 where !isThere {
        piped.log.write(.info, "line \(number)")
        isThere = text.wait(seconds: 0.02) { $0.contains(" line \(number)\n") ? true : nil } ?? false
      }
      try #require(isThere)
    }
    // And that is told without another line.
    while piped.log.droppedLines == 0 { piped.log.write(.info, "too much") }
    text.wait { $0.contains("dropped") ? () : nil }
    piped.log.close()
    try piped.closeWriting()
    reader.join()
  }

  @Test("lines that were dropped are counted, and the log says so")
  func dropped() throws {
    let piped = try PipedLog()
    let lines = Condition((text: "", hasProbe: false))
    let count = queueLimit + 5000
    for number in 0..<count { piped.log.write(.info, "line \(number)") }
    let reader = try piped.read { piece in
      lines.withLock { lines in
        lines.text += piece
        lines.hasProbe = lines.hasProbe || lines.text.suffix(200).contains("probe")
      }
      lines.broadcast()
    }
    // A line that comes out at the other end was behind all that waited.
    repeat {
      piped.log.write(.info, "probe")
    } while lines.wait(seconds: 0.05) { $0.hasProbe ? true : nil } == nil
    piped.log.close()
    try piped.closeWriting()
    reader.join()
    let written = lines.withLock { $0.text }.split(separator: "\n")
    let kept = written.count { $0.contains(" info line ") }
    let notice = try #require(written.last { $0.contains("dropped") })
    let lost = try #require(notice.firstMatch(of: /lines=([0-9]+)/).flatMap { Int($0.output.1) })
    #expect(kept < count)
    // Probes that found no room count too.
    #expect(kept + lost >= count)
  }
}
