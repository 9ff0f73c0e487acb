import Testing
import Threads

@testable import Understudy

@Suite("Prometheus' text format")
struct ExpositionTests {
  @Test("labels are escaped, and whole numbers have no fraction")
  func samples() {
    let exposition = Exposition()
    exposition.gauge("a_bytes", "What a is.", 3_000_000_000)
    exposition.counter("b_total", "What b is.", [([("x", "1\\2\"3\n4"), ("y", "é")], 0.5)])
    #expect(
      exposition.text.text == """
        # HELP a_bytes What a is.
        # TYPE a_bytes gauge
        a_bytes 3000000000
        # HELP b_total What b is.
        # TYPE b_total counter
        b_total{x="1\\\\2\\"3\\n4",y="é"} 0.5

        """)
  }

  @Test("each bucket of a histogram holds those before it")
  func histogram() {
    var histogram = Histogram(bounds: [1_000_000, 2_000_000_000])
    for value: UInt64 in [1, 1_000_000, 1_500_000, 3_000_000_000] { histogram.record(value) }
    let exposition = Exposition()
    exposition.histogram("t_seconds", "How long.", per: 1e9, [([("r", "x")], histogram)])
    #expect(
      exposition.text.text == """
        # HELP t_seconds How long.
        # TYPE t_seconds histogram
        t_seconds_bucket{r="x",le="0.001"} 2
        t_seconds_bucket{r="x",le="2"} 3
        t_seconds_bucket{r="x",le="+Inf"} 4
        t_seconds_sum{r="x"} 3.002500001
        t_seconds_count{r="x"} 4

        """)
  }
}
