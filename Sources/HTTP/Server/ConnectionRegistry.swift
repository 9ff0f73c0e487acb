import CMicroHTTPD
import Threads

/// The connections that are open, and the thread that cuts some of them: those that are past their deadline,
/// since a byte now and then keeps no connection alive, those whose client has left, and where there are
/// nearly as many as there may be those that have waited for their client for longest, so that who comes next
/// finds room.
final class ConnectionRegistry: Sendable {
  private struct State {
    var open: [ObjectIdentifier: ClientConnection] = [:]
    /// How many there have been.
    var all: UInt64 = 0
    /// How many of them were cut, and are only to be closed yet.
    var leaving = 0
    var needsRoom = false
    /// The most that there were since memory was last given back.
    var most = 0
    var isClosed = false
  }

  private let state = Condition(State())
  private let limit: Int
  /// How many connections may stay.
  private let comfort: Int

  /// How often deadlines are looked at, in seconds.
  private static let period = 0.5
  /// One in so many connections is kept free.
  private static let spare = 16
  /// When so many connections have gone, what they had of the memory is given back.
  private static let worthwhile = 64

  /// - Parameter limit: how many connections there may be.
  init(limit: Int, log: Log?) throws(Thread.Exhausted) {
    let spare = limit / Self.spare
    self.limit = limit
    comfort = limit - spare
    let state = state
    _ = try Thread {
      var isClosed = false
      while !isClosed {
        _ = state.wait(seconds: Self.period) { $0.isClosed || $0.needsRoom ? () : nil }
        let canGiveBack = state.withLock { state in
          Self.cutOverdue(&state, log)
          Self.cutLeft(&state)
          if state.needsRoom { Self.makeRoom(spare, &state, log) }
          isClosed = state.isClosed
          guard state.most - state.open.count >= Self.worthwhile else { return false }
          state.most = state.open.count
          return true
        }
        if canGiveBack { allocator_give_back() }
      }
    }
  }

  deinit {
    close()
  }

  private static func cutOverdue(_ state: inout State, _ log: Log?) {
    let now = MonotonicClock.now
    for connection in state.open.values where connection.isOverdue(at: now) && !connection.isCut {
      cut(connection, &state)
      log?.write(.info, "cut a connection that was too slow", [("client", .text(connection.addressText))])
    }
  }

  private static func cutLeft(_ state: inout State) {
    let time = MonotonicClock.now - UInt64(period * 1e9)
    for connection in state.open.values where !connection.isCut && connection.hasLeft(waitingSince: time) {
      cut(connection, &state)
    }
  }

  private static func makeRoom(_ count: Int, _ state: inout State, _ log: Log?) {
    state.needsRoom = false
    let waiting = state.open.values.compactMap { connection in
      connection.isCut ? nil : connection.waitingSince.map { (since: $0, connection) }
    }
    let longest = waiting.sorted { $0.since < $1.since }.prefix(count)
    for (_, connection) in longest { cut(connection, &state) }
    log?.write(
      .warning, "cut connections that did nothing, to make room",
      [("connections", .number(Int64(longest.count)))])
  }

  private static func cut(_ connection: ClientConnection, _ state: inout State) {
    connection.cut()
    state.leaving += 1
  }

  /// Whether there are as many as there may be.
  var isFull: Bool { state.withLock { $0.open.count >= limit } }

  /// How many are open, and how many there have been.
  var count: (open: Int, all: UInt64) { state.withLock { ($0.open.count, $0.all) } }

  func add(_ connection: ClientConnection) {
    let needsRoom = state.withLock { state in
      state.open[ObjectIdentifier(connection)] = connection
      state.all += 1
      state.most = max(state.most, state.open.count)
      state.needsRoom = state.needsRoom || state.open.count - state.leaving > comfort
      return state.needsRoom
    }
    if needsRoom { state.broadcast() }
  }

  /// Forgets a connection, before its descriptor is closed and means another one.
  func remove(_ connection: ClientConnection) {
    state.withLock { state in
      state.open.removeValue(forKey: ObjectIdentifier(connection))
      if connection.isCut { state.leaving -= 1 }
    }
  }

  /// Cuts every connection.
  func cutAll() {
    state.withLock { state in
      for connection in state.open.values where !connection.isCut { Self.cut(connection, &state) }
    }
  }

  /// Ends the thread.
  func close() {
    state.withLock { $0.isClosed = true }
    state.broadcast()
  }
}
