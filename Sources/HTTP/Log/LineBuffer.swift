import JSON
import Threads

/// The lines that a thread has written and that wait to be taken to the system. Each thread has its own, so that it
/// waits for nobody but, now and then, the thread that takes them.
final class LineBuffer: Sendable {
  private struct State {
    var text = ByteBuffer(capacity: 1024)
    var lines: [Line] = []
    var timestamp = Timestamp()
    /// The round in which the last line was begun, and the first line of that round.
    var round: UInt64 = 0
    var firstOfRound = 0
    /// Lines that were taken and are on their way to the system.
    var leaving = 0
    /// Lines that found no room, and the same since the beginning.
    var dropped = 0
    var allDropped: UInt64 = 0
  }

  /// A line of a text, by its end.
  struct Line {
    /// When what it tells of happened, in nanoseconds of `MonotonicClock`.
    let time: UInt64
    let end: Int
  }

  /// Lines that were taken, and memory for the next ones.
  struct Taken {
    fileprivate(set) var text = ByteBuffer(capacity: 1024)
    fileprivate(set) var lines: [Line] = []
    /// How many found no room since the time before.
    fileprivate(set) var dropped = 0
    /// Whether there are others, which are to be taken in the next round.
    fileprivate(set) var hasMore = false
  }

  /// Memory that a burst has made larger than this many bytes isn't kept.
  static let keptCapacity = 1 << 20

  private let state = Condition(State())

  /// How many lines have found no room since the beginning.
  var droppedLines: UInt64 { state.withLock { $0.allDropped } }

  /// Writes a line.
  ///
  /// - Parameters:
  ///   - moment: when what it tells of happened, in nanoseconds of `MonotonicClock`.
  ///   - round: the number of the last round in which lines were taken, or are being taken.
  ///   - limit: how many lines may wait.
  /// - Returns: whether it is the first that waits.
  @inline(__always)
  func write(
    _ level: Log.Level, _ format: Log.Format, at moment: UInt64, round: UInt64, limit: Int,
    _ body: (borrowing LogLine) -> Void
  ) -> Bool {
    state.withLock { state in
      guard state.lines.count + state.leaving < limit else {
        state.dropped += 1
        state.allDropped += 1
        return false
      }
      if round != state.round { (state.round, state.firstOfRound) = (round, state.lines.count) }
      let line = LogLine(level, at: moment, &state.timestamp, format: format, in: state.text)
      body(line)
      line.end()
      state.lines.append(Line(time: moment, end: state.text.count))
      return state.lines.count == 1
    }
  }

  /// Takes the lines that were begun before a round, in place of those that were taken before.
  func take(before round: UInt64, into taken: inout Taken) {
    taken.text.truncate(to: 0)
    taken.lines.removeAll(keepingCapacity: true)
    state.withLock { state in
      let count = state.round == round ? state.firstOfRound : state.lines.count
      let end = count > 0 ? state.lines[count - 1].end : 0
      // The next ones begin with those that are too late for now.
      taken.text.append(UnsafeRawBufferPointer(rebasing: state.text.bytes[end...]))
      for line in state.lines[count...] { taken.lines.append(Line(time: line.time, end: line.end - end)) }
      taken.hasMore = !taken.lines.isEmpty
      taken.dropped = state.dropped
      swap(&state.text, &taken.text)
      swap(&state.lines, &taken.lines)
      (state.firstOfRound, state.leaving, state.dropped) = (0, count, 0)
      taken.lines.removeLast(taken.lines.count - count)
      taken.text.truncate(to: end)
    }
  }

  /// The lines that were taken have gone to the system.
  ///
  /// - Returns: whether others found no room for them meanwhile.
  func letGo(_ taken: inout Taken) -> Bool {
    if taken.text.capacity > Self.keptCapacity { taken = Taken() }
    return state.withLock { state in
      state.leaving = 0
      return state.dropped > 0
    }
  }
}
