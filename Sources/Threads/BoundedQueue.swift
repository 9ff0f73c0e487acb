/// A first-in first-out queue between threads that refuses what it has no room for: nothing in
/// the server grows without bound.
public final class BoundedQueue<Element: Sendable>: Sendable {
  private struct State {
    var waiting: [Element] = []
    var head = 0
    var isClosed = false
  }

  private let state = Condition(State())
  /// The most elements that may wait.
  public let limit: Int

  public init(limit: Int) {
    self.limit = limit
  }

  /// How many elements wait now.
  public var count: Int {
    state.withLock { $0.waiting.count - $0.head }
  }

  /// Appends an element; false, and nothing is appended, when the queue is full or closed.
  public func push(_ element: Element) -> Bool {
    let accepted = state.withLock { state in
      guard !state.isClosed, state.waiting.count - state.head < limit else { return false }
      state.waiting.append(element)
      return true
    }
    if accepted { state.signal() }
    return accepted
  }

  /// Waits for an element; nil once the queue is closed and empty.
  public func pop() -> Element? {
    state.wait { state -> Element?? in
      guard state.head < state.waiting.count else { return state.isClosed ? .some(nil) : nil }
      let element = state.waiting[state.head]
      state.head += 1
      if state.head == state.waiting.count || state.head >= 256 {
        state.waiting.removeFirst(state.head)
        state.head = 0
      }
      return element
    }
  }

  /// Waits for elements and takes all that are there, at most `most`; nil once the queue is
  /// closed and empty.
  public func popAll(atMost most: Int) -> [Element]? {
    state.wait { state -> [Element]?? in
      let waiting = state.waiting.count - state.head
      guard waiting > 0 else { return state.isClosed ? .some(nil) : nil }
      let taken = Array(state.waiting[state.head..<state.head + min(most, waiting)])
      state.head += taken.count
      if state.head == state.waiting.count {
        state.waiting.removeAll(keepingCapacity: state.waiting.capacity <= 1024)
        state.head = 0
      }
      return taken
    }
  }

  /// Refuses further elements; what waits is still handed out, or dropped.
  public func close(dropping: Bool = false) {
    let dropped = state.withLock { state -> [Element] in
      state.isClosed = true
      guard dropping else { return [] }
      defer { (state.waiting, state.head) = ([], 0) }
      return state.waiting
    }
    state.broadcast()
    // Let go of outside the lock: an element's end may have things to do.
    _ = dropped
  }
}
