/// A first-in first-out queue between threads that refuses what it has no room for: nothing in
/// the server grows without bound.
public final class BoundedQueue<Element: Sendable>: Sendable {
  @usableFromInline let state = Condition(Ring<Element>())
  /// The most elements that may wait.
  public let limit: Int

  @inlinable
  public init(limit: Int) {
    self.limit = limit
  }

  /// How many elements wait now.
  public var count: Int {
    state.withLock { $0.count }
  }

  /// Appends an element; false, and nothing is appended, when the queue is full or closed.
  @inlinable
  public func push(_ element: Element) -> Bool {
    let accepted = state.withLock { ring in
      guard !ring.isClosed, ring.count < limit else { return false }
      ring.append(element)
      return true
    }
    if accepted { state.signal() }
    return accepted
  }

  /// Waits for an element; nil once the queue is closed and empty.
  public func pop() -> Element? {
    state.wait { ring -> Element?? in
      if let element = ring.removeFirst() { return element }
      return ring.isClosed ? .some(nil) : nil
    }
  }

  /// Waits for elements and takes all that are there, at most `most`; nil once the queue is
  /// closed and empty.
  @inlinable
  public func popAll(atMost most: Int) -> [Element]? {
    state.wait { ring -> [Element]?? in
      guard ring.count > 0 else { return ring.isClosed ? .some(nil) : nil }
      return ring.removeFirst(atMost: most)
    }
  }

  /// Refuses further elements; what waits is still handed out, or dropped.
  public func close(dropping: Bool = false) {
    let dropped = state.withLock { ring -> Ring<Element>? in
      defer {
        if dropping { ring = Ring() }
        ring.isClosed = true
      }
      return dropping ? ring : nil
    }
    state.broadcast()
    // Let go of outside the lock: an element's end may have things to do.
    _ = dropped
  }
}

/// Elements in a circle of places, which grows while it is full and is let go of when it is empty.
@usableFromInline
struct Ring<Element> {
  @usableFromInline var places: [Element?] = []
  @usableFromInline var first = 0
  @usableFromInline var count = 0
  @usableFromInline var isClosed = false

  @inlinable
  init() {}

  @inlinable
  mutating func append(_ element: Element) {
    if count == places.count {
      places = Array(places[first...] + places[..<first]) + Array(repeating: nil, count: max(16, count))
      first = 0
    }
    places[(first + count) % places.count] = element
    count += 1
  }

  @inlinable
  mutating func removeFirst() -> Element? {
    guard count > 0 else { return nil }
    defer {
      places[first] = nil
      first = (first + 1) % places.count
      count -= 1
      if count == 0, places.count > 1024 { (places, first) = ([], 0) }
    }
    return places[first]
  }

  @inlinable
  mutating func removeFirst(atMost most: Int) -> [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(min(most, count))
    while elements.count < most, let element = removeFirst() { elements.append(element) }
    return elements
  }
}
