import Synchronization

/// What a thread that serves has to itself: a request counts, and is counted, without a lock and without waiting for
/// another processor's cache.
final class ServingThread: @unchecked Sendable {
  // Safe to share: what others read is atomic, the rest only the thread itself touches, and unchecked for exclusive
  // access, as nothing calls out while it changes.

  let service: Service
  /// What it has answered.
  let answers: AnswerCells
  /// Requests from their request line to the last byte of their answer.
  let active = Atomic<Int>(0)
  /// The encrypted connection that something was received or sent on last; nil once it is closed. What libmicrohttpd
  /// says of a handshake, which is no more than that it has failed, can be told of the right connection by it.
  unowned(unsafe) var current: ClientConnection?

  /// Exchanges that are over, for the next requests on any of its connections: few are under way at a time, and the
  /// last one's memory is still in the cache.
  @exclusivity(unchecked) private var spare: [Exchange] = []
  /// How many are kept.
  private static let spares = 64

  /// How many numbers of requests it takes out of the server's count at a time.
  private static let numbers: UInt64 = 64
  @exclusivity(unchecked) private var lastNumber: UInt64 = 0
  @exclusivity(unchecked) private var numbersLeft: UInt64 = 0

  /// - Parameter rows: how many kinds of answers are told apart: one for each route, and one for none.
  init(_ service: Service, rows: Int) {
    self.service = service
    answers = AnswerCells(rows: rows)
  }

  deinit { answers.deallocate() }

  /// A request has begun on one of its connections.
  func begin(_ target: UnsafeRawBufferPointer, on client: ClientConnection) -> Exchange {
    // Nobody else writes here. In one order with `isDraining`: either who waits for the end sees this request, or the
    // request sees that it is to be refused.
    active.store(active.load(ordering: .relaxed) + 1, ordering: .sequentiallyConsistent)
    let exchange = spare.popLast() ?? Exchange(on: self, for: client)
    exchange.begin(RequestID(number: nextNumber()), target: target, on: client)
    return exchange
  }

  /// An exchange is over, its answer sent or its connection lost.
  func end(_ exchange: Unmanaged<Exchange>) {
    let exchange = exchange.takeRetainedValue()
    exchange.end()
    if spare.count < Self.spares { spare.append(exchange) }
    active.store(active.load(ordering: .relaxed) - 1, ordering: .sequentiallyConsistent)
    service.counts.wakeWhoWaitsForTheEnd()
  }

  /// A number that no other request of the server has.
  private func nextNumber() -> UInt64 {
    if numbersLeft == 0 {
      lastNumber = service.counts.lastRequest.add(Self.numbers, ordering: .relaxed).oldValue
      numbersLeft = Self.numbers
    }
    lastNumber += 1
    numbersLeft -= 1
    return lastNumber
  }
}
