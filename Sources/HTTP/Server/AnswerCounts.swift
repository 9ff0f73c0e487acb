import Synchronization
import Threads

/// What a server has answered, by route and status, and how long it took.
///
/// Each thread that serves has numbers of its own, in a block that is never moved: an answer costs a few additions,
/// no lock and no waiting for another processor's cache. Who asks adds all of them up.
final class AnswerCounts: Sendable {
  private let routes: Int
  private let blocks: ThreadLocal<AnswerBlock>

  /// - Parameter routes: how many there are; one more row is for what no route answers.
  /// - Throws: as `ThreadLocal`.
  init(routes: Int) throws(Thread.Exhausted) {
    self.routes = routes
    blocks = try ThreadLocal { AnswerBlock(rows: routes + 1) }
  }

  /// The calling thread's numbers, which live as long as this object.
  var ofThisThread: AnswerCells { blocks.value.cells }

  /// What all threads have answered: for each row, that of no route first, the answers by status and their durations.
  var rows: [(statuses: [(status: UInt16, count: UInt64)], durations: Histogram)] {
    let blocks = blocks.all
    return (0...routes).map { row in
      func sum(_ cell: Int) -> UInt64 { blocks.reduce(0) { $0 &+ $1.cells.value(row: row, cell: cell) } }
      let statuses = Status.counted.enumerated().map { (status: $1, count: sum($0)) }
      return (
        statuses.filter { $0.count > 0 },
        Histogram(
          bounds: Histogram.durations,
          counts: (0...Histogram.durations.count).map { sum(AnswerCells.durations + $0) },
          sum: sum(AnswerCells.total))
      )
    }
  }
}

/// The memory of one thread's numbers.
private final class AnswerBlock {
  let cells: AnswerCells

  init(rows: Int) { cells = AnswerCells(rows: rows) }

  deinit {
    cells.deallocate()
  }
}

/// The numbers of one thread, which alone changes them.
struct AnswerCells: @unchecked Sendable {
  // Safe to share: the numbers are atomic, the bounds constant, and both live as long as the server's counts.
  private let cells: UnsafeMutablePointer<Atomic<UInt64>>
  private let bounds: UnsafeMutableBufferPointer<UInt64>
  private let count: Int

  /// Where in a row the buckets of durations begin.
  static let durations = Status.counted.count
  /// Where the sum of the durations is.
  static let total = durations + Histogram.durations.count + 1
  private static let width = total + 1

  // The constants once more as numbers of this block: a static one costs a call for each look at it.
  private let firstBucket: Int
  private let buckets: Int
  private let width: Int

  fileprivate init(rows: Int) {
    count = rows * Self.width
    cells = .allocate(capacity: count)
    for index in 0..<count { (cells + index).initialize(to: Atomic(0)) }
    bounds = .allocate(capacity: Histogram.durations.count)
    _ = bounds.initialize(from: Histogram.durations)
    (firstBucket, buckets, width) = (Self.durations, Histogram.durations.count, Self.width)
  }

  fileprivate func deallocate() {
    cells.deinitialize(count: count)
    cells.deallocate()
    bounds.deallocate()
  }

  fileprivate func value(row: Int, cell: Int) -> UInt64 {
    cells[row * Self.width + cell].load(ordering: .relaxed)
  }

  /// Counts an answer.
  ///
  /// - Parameters:
  ///   - row: the route's number; 0 for none.
  ///   - duration: in nanoseconds.
  func add(row: Int, status: Status, duration: UInt64) {
    let row = cells + row * width
    increase(row + status.place, by: 1)
    var bucket = 0
    while bucket < buckets, duration > bounds[bucket] { bucket += 1 }
    increase(row + firstBucket + bucket, by: 1)
    increase(row + width - 1, by: duration)
  }

  /// Nobody else writes here, so that no processor has to be kept from it.
  private func increase(_ cell: UnsafeMutablePointer<Atomic<UInt64>>, by amount: UInt64) {
    cell.pointee.store(cell.pointee.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
  }
}

extension Status {
  /// The codes that are counted apart, each at its `place`; 0 stands for all others.
  static let counted: [UInt16] = [
    0, 200, 204, 304, 400, 401, 404, 405, 409, 413, 422, 429, 431, 500, 503, 507,
  ]

  /// Where answers of this status are counted. No search: each answer asks for it.
  var place: Int {
    switch code {
    case 200: 1
    case 204: 2
    case 304: 3
    case 400: 4
    case 401: 5
    case 404: 6
    case 405: 7
    case 409: 8
    case 413: 9
    case 422: 10
    case 429: 11
    case 431: 12
    case 500: 13
    case 503: 14
    case 507: 15
    default: 0
    }
  }
}
