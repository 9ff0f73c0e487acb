import SQLite

@testable import HTTP
@testable import Understudy

/// Requests with an Idempotency-Key beside a dictionary that does the same. The input is a number of
/// requests, each a line of a path's number, a key and a body, with commas between them.
final class IdempotencyFuzz {
  /// How many requests are remembered.
  private static let limit = 3

  private let database: TemporaryDatabase
  private let connection = ClientConnection(descriptor: -1, address: nil)

  /// What the dictionary keeps of a request that was answered.
  private struct Known {
    let request: [[UInt8]]
    let body: [UInt8]
    let row: Int64
  }

  init() throws { database = try TemporaryDatabase() }

  func run(_ input: [UInt8]) throws {
    var known: [Known] = []
    try database.reverting { connection in
      for line in input.split(separator: UInt8(ascii: "\n")).prefix(24) {
        let parts = line.split(separator: UInt8(ascii: ","), maxSplits: 2, omittingEmptySubsequences: false)
        // A NUL is in no header and no path that is followed.
        guard parts.count == 3, !parts[0].contains(0), !parts[1].contains(0) else { continue }
        try post(to: parts[0], key: parts[1], body: Array(parts[2]), on: connection, known: &known)
      }
    }
  }

  private func post(
    to path: ArraySlice<UInt8>, key: ArraySlice<UInt8>, body: [UInt8], on database: Connection,
    known: inout [Known]
  ) throws {
    let target = RequestTarget(Array("/a/".utf8) + path.filter { $0 != UInt8(ascii: "?") })
    guard target.isPlain else { return }
    let segments = (0..<target.segmentCount).map { Array(target.segment($0)) }
    let request = Request(
      id: RequestID(number: 1), target: target, connection: connection, trustedProxies: [])
    request.body = body
    let line = Array("Idempotency-Key:".utf8) + key
    let idempotencyKey: IdempotencyKey? = try line.withUnsafeBytes { bytes in
      var fields = HeaderFields()
      fields.read(
        name: UnsafeRawBufferPointer(rebasing: bytes[..<15]),
        value: UnsafeRawBufferPointer(rebasing: bytes[16...]))
      request.fields = fields
      defer { request.fields = HeaderFields() }
      let isEmpty = Array(key).unquoted.isEmpty
      do {
        let made = try IdempotencyKey(request, limit: Self.limit)
        try require(!isEmpty, "an empty key is refused")
        return made
      } catch let problem as Problem {
        try require(isEmpty && problem.status == .badRequest, "a key is taken: \(key.shown)")
        return nil
      }
    }
    guard let idempotencyKey else { return }
    let identity = segments + [Array(key).unquoted]
    let before = known.first { $0.request == identity }
    do {
      var isNew = false
      let row = try Optional(idempotencyKey).once(on: database) {
        isNew = true
        return Int64.random(in: 1 ... .max)
      }
      try require(isNew == (before == nil), "it counts once: \(key.shown)")
      try require(before.map { $0.row == row && $0.body == body } != false, "and answers alike: \(key.shown)")
      if isNew { known = known.suffix(Self.limit - 1) + [Known(request: identity, body: body, row: row)] }
    } catch let problem as Problem {
      try require(problem.status == .unprocessableContent, "only another body is refused")
      try require(before.map { $0.body != body } == true, "and only where it is another: \(key.shown)")
    }
  }
}

extension [UInt8] {
  /// Without the white space and then the quotes around it.
  fileprivate var unquoted: [UInt8] {
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let text = Array(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    let quote = UInt8(ascii: "\"")
    return text.count > 1 && text.first == quote && text.last == quote
      ? Array(text[1..<text.count - 1]) : text
  }
}
