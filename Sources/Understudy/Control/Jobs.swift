import HTTP
import Threads

/// Work that takes longer than a server's thread may: each piece on a thread of its own, of the lowest priority.
final class Jobs: Sendable {
  private struct State {
    var running = 0
    var isClosed = false
  }

  private let state = Condition(State())

  /// Whether the server is about to end: what can be begun anew gives up.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Answers a request with what `work` does, which may take its time. What it throws is the answer.
  ///
  /// - Parameter work: gets the completion to answer with.
  func reply(_ work: @escaping @Sendable (Completion) throws -> Void) -> Reply {
    .later { [self] completion in
      let isAccepted = run { do { try work(completion) } catch { completion.fail(error) } }
      if !isAccepted { completion.fail(Problem.shuttingDown) }
    }
  }

  /// Runs `work` on a thread of its own.
  ///
  /// - Returns: false where the server is about to end or has no thread for it.
  func run(_ work: @escaping @Sendable () -> Void) -> Bool {
    let isAccepted = state.withLock { state in
      guard !state.isClosed else { return false }
      state.running += 1
      return true
    }
    guard isAccepted else { return false }
    let thread = try? Thread(priority: .lowest) { [self] in
      work()
      end()
    }
    if thread == nil { end() }
    return thread != nil
  }

  private func end() {
    state.withLock { $0.running -= 1 }
    state.broadcast()
  }

  /// Waits until what runs has given up or come to its end; nothing begins any more.
  func close() {
    state.withLock { $0.isClosed = true }
    state.wait { $0.running == 0 ? () : nil }
  }
}
