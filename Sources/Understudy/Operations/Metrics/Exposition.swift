import JSON
import Threads

/// Metrics in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/, "Text-based
/// format"), written family by family.
struct Exposition {
  typealias Labels = [(name: StaticString, value: String)]

  static let type = "text/plain; version=0.0.4; charset=utf-8"

  let text = ByteBuffer(capacity: 16 << 10)

  /// A number that only grows. Its name ends in `_total`.
  func counter(_ name: StaticString, _ help: StaticString, _ value: some BinaryInteger) {
    counter(name, help, [([], Double(value))])
  }

  /// Numbers of one name that only grow.
  func counter(_ name: StaticString, _ help: StaticString, _ samples: [(Labels, Double)]) {
    begin(name, "counter", help)
    for (labels, value) in samples { sample(name, "", labels, value) }
  }

  /// A number of the moment.
  func gauge(_ name: StaticString, _ help: StaticString, _ value: Double, _ labels: Labels = []) {
    begin(name, "gauge", help)
    sample(name, "", labels, value)
  }

  func gauge(_ name: StaticString, _ help: StaticString, _ value: some BinaryInteger) {
    gauge(name, help, Double(value))
  }

  /// How values are distributed.
  ///
  /// - Parameter unit: how many of the histogram's units are one of the metric's: 1e9 for nanoseconds in seconds.
  func histogram(
    _ name: StaticString, _ help: StaticString, per unit: Double, _ histograms: [(Labels, Histogram)]
  ) {
    begin(name, "histogram", help)
    for (labels, histogram) in histograms {
      var count: UInt64 = 0
      for (index, values) in histogram.counts.enumerated() {
        count += values
        let bound =
          index < histogram.bounds.count ? Self.number(Double(histogram.bounds[index]) / unit) : "+Inf"
        sample(name, "_bucket", labels + [("le", bound)], Double(count))
      }
      sample(name, "_sum", labels, Double(histogram.sum) / unit)
      sample(name, "_count", labels, Double(count))
    }
  }

  private func begin(_ name: StaticString, _ type: StaticString, _ help: StaticString) {
    for (keyword, words) in [("# HELP ", help), ("# TYPE ", type)] as [(StaticString, StaticString)] {
      text.append(keyword)
      text.append(name)
      text.append(UInt8(ascii: " "))
      text.append(words)
      text.append(UInt8(ascii: "\n"))
    }
  }

  private func sample(_ name: StaticString, _ suffix: StaticString, _ labels: Labels, _ value: Double) {
    text.append(name)
    text.append(suffix)
    for (index, label) in labels.enumerated() {
      text.append(UInt8(ascii: index == 0 ? "{" : ","))
      text.append(label.name)
      text.append("=\"" as StaticString)
      for byte in label.value.utf8 {
        switch byte {
        case UInt8(ascii: "\n"): text.append("\\n" as StaticString)
        case UInt8(ascii: "\\"), UInt8(ascii: "\""):
          text.append(UInt8(ascii: "\\"))
          text.append(byte)
        default: text.append(byte)
        }
      }
      text.append(UInt8(ascii: "\""))
    }
    if !labels.isEmpty { text.append(UInt8(ascii: "}")) }
    text.append(UInt8(ascii: " "))
    text.append(Self.number(value))
    text.append(UInt8(ascii: "\n"))
  }

  /// Whole numbers without a fraction.
  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map(String.init) ?? "\(value)"
  }
}
