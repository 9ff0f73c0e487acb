import Testing
import Threads

@Suite("A histogram")
struct HistogramTests {
  @Test("counts each value in the first bucket whose bound it doesn't exceed, and adds them up")
  func buckets() {
    var histogram = Histogram(bounds: [1, 10, 100])
    for value: UInt64 in [0, 1, 2, 10, 11, 100, 101, 1000] { histogram.record(value) }
    #expect(histogram.counts == [2, 2, 2, 2])
    #expect(histogram.sum == 1225)
    #expect(histogram.count == 8)
  }
}
