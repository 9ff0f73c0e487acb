import JSON
import Synchronization
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where the lines of all threads come together, and go to the system in such an order that a line that tells of what came
/// after another's event stands behind that: within a round it goes by the monotonic clock, whatever is done to the wall
/// clock.
///
/// They are taken in rounds. Each line notes the number of the round in or after which it was begun, and one that was
/// begun in a round has to wait for the next, or it could overtake one of a thread that the round has been to before.
final class LogOutput: Sendable {
  /// How long lines may gather before they are written, in seconds.
  private static let gathering = 0.01

  private struct Bell {
    var rings = false
    var isDone = false
  }

  private struct Source {
    let buffer: LineBuffer
    var taken = LineBuffer.Taken()
    /// The first line that isn't written yet, and where it begins.
    var next = 0
    var start = 0

    init(_ buffer: LineBuffer) { self.buffer = buffer }

    var isEmpty: Bool { next == taken.lines.count }
    /// When what the next line tells of happened.
    var time: UInt64 { taken.lines[next].time }

    mutating func take(before round: UInt64) {
      buffer.take(before: round, into: &taken)
      (next, start) = (0, 0)
    }

    mutating func letGo() -> Bool { buffer.letGo(&taken) }

    /// The next line, or all that are left.
    mutating func removeNext(all: Bool) -> UnsafeRawBufferPointer {
      let last = all ? taken.lines.count - 1 : next
      let end = taken.lines[last].end
      defer { (next, start) = (last + 1, end) }
      return UnsafeRawBufferPointer(rebasing: taken.text.bytes[start..<end])
    }
  }

  private let format: Log.Format
  private let limit: Int
  private let buffers: ThreadLocal<LineBuffer>
  private let round = Atomic<UInt64>(0)
  private let isClosed = Atomic(false)
  private let bell = Condition(Bell())
  /// Ends the gathering; no bell, which rings in the midst of it too.
  private let closing = Condition(false)

  /// - Parameters:
  ///   - descriptor: where the lines go; closed in the end.
  ///   - limit: how many lines each thread may have waiting.
  init(_ format: Log.Format, to descriptor: Int32, limit: Int) throws(Thread.Exhausted) {
    self.format = format
    self.limit = limit
    buffers = try ThreadLocal { LineBuffer() }
    _ = try Thread { [self] in run(descriptor) }
  }

  /// How many lines have found no room since the beginning.
  var droppedLines: UInt64 { buffers.all.reduce(0) { $0 + $1.droppedLines } }

  /// Writes a line whose message and fields `body` appends; the caller has asked whether its level is written.
  ///
  /// - Parameter moment: when what it tells of happened, in nanoseconds of `MonotonicClock`.
  @inline(__always)
  func write(_ level: Log.Level, at moment: UInt64, _ body: (borrowing LogLine) -> Void) {
    guard !isClosed.load(ordering: .relaxed) else { return }
    let round = round.load(ordering: .relaxed)
    if buffers.withValue({ $0.write(level, format, at: moment, round: round, limit: limit, body) }) { ring() }
  }

  private func ring() {
    bell.withLock { $0.rings = true }
    bell.broadcast()
  }

  /// Writes what waits, for at most a second, and nothing any more.
  func close() {
    isClosed.store(true, ordering: .sequentiallyConsistent)
    closing.withLock { $0 = true }
    closing.broadcast()
    ring()
    _ = bell.wait(seconds: 1) { $0.isDone ? true : nil }
  }

  // MARK: On its thread

  private func run(_ descriptor: Int32) {
    var sources: [Source] = []
    var merged = ByteBuffer(capacity: 64 << 10)
    var hasMore = false
    var isOver = false
    while !isOver {
      if !hasMore {
        bell.wait { bell -> Void? in
          guard bell.rings else { return nil }
          bell.rings = false
          return ()
        }
      }
      let isClosed = isClosed.load(ordering: .sequentiallyConsistent)
      hasMore = take(into: &sources)
      Self.write(text(of: &sources, merged).bytes, to: descriptor)
      if merged.capacity > LineBuffer.keptCapacity { merged = ByteBuffer(capacity: 64 << 10) }
      // What found no room meanwhile is told of, though no line may come that rings.
      for index in sources.indices { hasMore = sources[index].letGo() || hasMore }
      isOver = isClosed && !hasMore
      // Under load the next lines gather meanwhile: a thread that isn't waiting needs no waking.
      if !isOver { closing.wait(seconds: Self.gathering) { $0 ? () : nil } }
    }
    systemClose(descriptor)
    bell.withLock { $0.isDone = true }
    bell.broadcast()
  }

  /// Makes a round of all threads.
  ///
  /// - Returns: whether there are lines for the next one.
  private func take(into sources: inout [Source]) -> Bool {
    let round = round.add(1, ordering: .sequentiallyConsistent).newValue
    for buffer in buffers.all[sources.count...] { sources.append(Source(buffer)) }
    var hasMore = false
    for index in sources.indices {
      sources[index].take(before: round)
      hasMore = hasMore || sources[index].taken.hasMore
    }
    return hasMore
  }

  /// The lines of the last round, and behind them how many have been dropped for them.
  private func text(of sources: inout [Source], _ merged: ByteBuffer) -> ByteBuffer {
    merged.truncate(to: 0)
    let speaking = sources.indices.filter { !sources[$0].taken.lines.isEmpty }
    // Mostly there is one, whose text is there as it is to be.
    let text = speaking.count == 1 ? sources[speaking[0]].taken.text : merged
    if speaking.count > 1 { Self.merge(speaking, of: &sources, into: merged) }
    let dropped = sources.reduce(0) { $0 + $1.taken.dropped }
    if dropped > 0 {
      var timestamp = Timestamp()
      let line = LogLine(.error, at: MonotonicClock.now, &timestamp, format: format, in: text)
      line.append(message: "log lines dropped: the reader of the log was too slow")
      line.append("lines", Int64(dropped))
      line.end()
    }
    return text
  }

  /// Appends the lines of several threads by their times. Those of one thread stay in their order.
  private static func merge(_ speaking: [Int], of sources: inout [Source], into text: ByteBuffer) {
    var speaking = speaking
    while var first = speaking.first {
      for other in speaking.dropFirst() where sources[other].time < sources[first].time { first = other }
      // The last one's rest is one piece.
      text.append(sources[first].removeNext(all: speaking.count == 1))
      if sources[first].isEmpty { speaking.removeAll { $0 == first } }
    }
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
