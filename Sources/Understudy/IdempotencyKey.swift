import CSodium
import HTTP
import SQLite
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a client sends so that a POST that it repeats counts once
/// (draft-ietf-httpapi-idempotency-key-header). Only requests that were answered 200 are remembered,
/// for a day, in the transaction that made their row.
struct IdempotencyKey: Sendable {
  /// How long a request is remembered, in seconds.
  static let lifetime: Int64 = 24 * 60 * 60

  private let request: [UInt8]
  private let body: [UInt8]
  /// How many requests are remembered; past it the oldest are forgotten early.
  private let limit: Int64

  /// Reads the request's key; nil where it has none.
  ///
  /// - Parameter limit: how many requests are remembered.
  /// - Throws: `Problem` 400 where it is empty.
  init?(_ request: Request, limit: Int) throws(Problem) {
    self.limit = Int64(limit)
    guard let key = request.idempotencyKey else { return nil }
    guard !key.isEmpty else { throw .badRequest("The header Idempotency-Key is empty.") }
    var scope: [UInt8] = []
    for index in 0..<request.target.segmentCount { scope += request.target.segment(index) + [0] }
    self.request = Self.hash(scope + key, key: [])
    // Keyed: the body of a sign-up holds a password, which a plain hash of it would give away to
    // whoever gets the file and can guess.
    body = Self.hash(request.body, key: Self.hash(key, key: []))
  }

  /// BLAKE2b of 256 bits.
  private static func hash(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 32)
    crypto_generichash(&hash, hash.count, bytes, UInt64(bytes.count), key, key.count)
    return hash
  }

  /// The id of the row that this request has already made; nil where it hasn't come before.
  ///
  /// - Throws: `Problem` 422 where the key came with another body.
  func row(on connection: Connection) throws -> Int64? {
    let known = try connection.row(
      "SELECT row, body FROM idempotency_key WHERE request = ?1 AND created > ?2",
      .blob(request), .integer(Self.now - Self.lifetime)
    ) { ($0.integer(0), $0.blob(1)) }
    guard let (row, body) = known else { return nil }
    guard body == self.body else {
      throw Problem.unprocessable(
        "This Idempotency-Key came before with another body: a new request needs a new key.")
    }
    return row
  }

  /// Remembers that this request made a row, and forgets what is too old.
  func remember(_ row: Int64, on connection: Connection) throws {
    try connection.run("DELETE FROM idempotency_key WHERE created <= ?1", .integer(Self.now - Self.lifetime))
    try connection.run(
      "INSERT INTO idempotency_key (request, body, row, created) VALUES (?1, ?2, ?3, ?4)",
      .blob(request), .blob(body), .integer(row), .integer(Self.now))
    try connection.run(
      "DELETE FROM idempotency_key WHERE id <= ?1", .integer(connection.lastInsertedRow - limit))
  }

  /// The wall clock's time when the program looked at it first, less the monotonic clock's.
  private static let start = Int64(time(nil)) - monotonic

  private static var monotonic: Int64 { Int64(MonotonicClock.now / 1_000_000_000) }

  /// Seconds since 1970, without the jumps that the wall clock makes meanwhile: one forward would forget
  /// every request.
  private static var now: Int64 { start + monotonic }
}

extension IdempotencyKey? {
  /// Makes a row, or finds the one that the same request made before.
  func once(on connection: Connection, _ make: () throws -> Int64) throws -> Int64 {
    guard let key = self else { return try make() }
    if let row = try key.row(on: connection) { return row }
    let row = try make()
    try key.remember(row, on: connection)
    return row
  }
}
