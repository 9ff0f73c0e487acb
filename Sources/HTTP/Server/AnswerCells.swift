import Synchronization
import Threads

/// What a thread has answered, by route and status, and how long it took: numbers that it alone changes, in a block that
/// is never moved. Who asks adds up those of all threads.
struct AnswerCells: @unchecked Sendable {
  // Safe to share: the numbers are atomic, the bounds constant, and both live as long as their thread's `ServingThread`.
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

  /// - Parameter rows: how many kinds of answers are told apart.
  init(rows: Int) {
    count = rows * Self.width
    cells = .allocate(capacity: count)
    for index in 0..<count { (cells + index).initialize(to: Atomic(0)) }
    bounds = .allocate(capacity: Histogram.durations.count)
    _ = bounds.initialize(from: Histogram.durations)
    (firstBucket, buckets, width) = (Self.durations, Histogram.durations.count, Self.width)
  }

  func deallocate() {
    cells.deinitialize(count: count)
    cells.deallocate()
    bounds.deallocate()
  }

  private func value(row: Int, cell: Int) -> UInt64 {
    cells[row * Self.width + cell].load(ordering: .relaxed)
  }

  /// What several threads have answered: for each row the answers by status, and their durations.
  static func sums(of threads: [AnswerCells], rows: Int) -> [(
    statuses: [(status: UInt16, count: UInt64)], durations: Histogram
  )] {
    (0..<rows).map { row in
      func sum(_ cell: Int) -> UInt64 { threads.reduce(0) { $0 &+ $1.value(row: row, cell: cell) } }
      let statuses = Status.counted.enumerated().map { (status: $1, count: sum($0)) }
      return (
        statuses.filter { $0.count > 0 },
        Histogram(
          bounds: Histogram.durations, counts: (0...Histogram.durations.count).map { sum(durations + $0) },
          sum: sum(total))
      )
    }
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
