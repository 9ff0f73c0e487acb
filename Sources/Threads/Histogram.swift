/// How often values came, by how large they were: as Prometheus counts them, but each value in one bucket alone.
public struct Histogram: Sendable, Equatable {
  /// The largest value of each bucket; one more bucket is for what is larger.
  public let bounds: [UInt64]
  /// How many values each bucket has, the one for the largest last.
  public private(set) var counts: [UInt64]
  /// All values together.
  public private(set) var sum: UInt64

  /// An empty one.
  ///
  /// - Parameter bounds: in ascending order.
  public init(bounds: [UInt64]) {
    self.init(bounds: bounds, counts: Array(repeating: 0, count: bounds.count + 1), sum: 0)
  }

  /// One whose values were counted elsewhere.
  public init(bounds: [UInt64], counts: [UInt64], sum: UInt64) {
    self.bounds = bounds
    self.counts = counts
    self.sum = sum
  }

  /// How many values there were.
  public var count: UInt64 { counts.reduce(0, +) }

  /// Counts a value.
  public mutating func record(_ value: UInt64) {
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    sum &+= value
  }

  /// Bounds for what takes from a tenth of a millisecond to ten seconds, in nanoseconds.
  public static let durations: [UInt64] = [
    100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
    100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 10_000_000_000,
  ]
}
