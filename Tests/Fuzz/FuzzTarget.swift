/// What a stranger's bytes can reach, each part by itself and the whole server: what libFuzzer calls
/// (`script/fuzz`), and what `CorpusTests` feeds with the inputs that are kept.
enum FuzzTarget: String, CaseIterable, Sendable {
  case target, address, header, json, csv, idempotency, body, wire

  /// Makes what the target needs, for one thread.
  ///
  /// - Returns: what takes an input, and throws a `Violation` where a promise is broken by it.
  func start() throws -> ([UInt8]) throws -> Void {
    switch self {
    case .target: fuzzRequestTarget
    case .address: fuzzAddress
    case .header: fuzzHeader
    case .json: fuzzJSON
    case .csv: fuzzCSV
    case .idempotency: try IdempotencyFuzz().run
    case .body: try BodyFuzz().run
    case .wire: try WireFuzz().run
    }
  }
}

/// A promise that an input broke.
struct Violation: Error, CustomStringConvertible {
  let description: String
}

/// - Throws: `Violation`, where the promise isn't kept.
func require(_ isKept: Bool, _ promise: @autoclosure () -> String) throws {
  if !isKept { throw Violation(description: promise()) }
}

extension Collection<UInt8> {
  /// The bytes as text.
  var shown: String { String(decoding: self, as: UTF8.self) }

  /// Whether these bytes stand somewhere in it.
  func holds(_ wanted: some StringProtocol) -> Bool {
    let wanted = Array(wanted.utf8)
    var rest = self[...]
    while let first = rest.firstIndex(of: wanted[0]) {
      rest = rest[first...]
      if rest.starts(with: wanted) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
