import CSodium
import HTTP
import Threads

/// Argon2id (RFC 9106) through libsodium, on threads of the lowest priority: a class that logs in at
/// once slows neither reads nor uploads.
///
/// The parameters are OWASP's for Argon2id (Password Storage Cheat Sheet, "Argon2id": 19 MiB, two
/// passes, one lane). A hash of libsodium's says its own parameters, so that they can be raised
/// later without making the old ones useless.
final class PasswordHasher: Sendable {
  private static let passes: UInt64 = 2
  private static let memory = 19_456 << 10

  private let queue: BoundedQueue<@Sendable () -> Void>
  private let threads: [Threads.Thread]
  /// A hash that no password has: checking one against it is the work of checking a real one.
  private let unmatched: String

  private let counted = Condition(Histogram(bounds: Histogram.durations))

  /// How many wait.
  var queueLength: Int { queue.count }

  /// How long passwords took, once they had their turn, in nanoseconds.
  var times: Histogram { counted.withLock { $0 } }

  /// - Parameter queueLimit: how many passwords may wait.
  init(threads count: Int, queueLimit: Int) throws {
    guard sodium_init() >= 0 else { throw SodiumError() }
    let queue = BoundedQueue<@Sendable () -> Void>(limit: queueLimit)
    self.queue = queue
    unmatched = Self.randomHash()
    threads = try (0..<count).map { _ in
      try Thread(priority: .lowest) { while let job = queue.pop() { job() } }
    }
  }

  /// libsodium didn't start.
  struct SodiumError: Error {}

  /// Runs `job` on a thread that may hash.
  ///
  /// - Throws: `Problem` 503 where too many wait.
  func submit(_ job: @escaping @Sendable () -> Void) throws(Problem) {
    guard queue.push(job) else {
      throw .unavailable("More logins wait than the server takes: try again in a few seconds.", retryAfter: 5)
    }
  }

  /// The text to store for a password.
  ///
  /// - Throws: `Problem` 503 where there isn't the memory for it.
  func hash(_ password: String) throws(Problem) -> String {
    let start = MonotonicClock.now
    defer { count(since: start) }
    guard let hash = Self.text(for: password) else {
      throw .unavailable("The server has no memory to hash a password now: try again.", retryAfter: 5)
    }
    return hash
  }

  /// The text to store for a password; nil where there isn't the memory for it. libsodium has been started.
  static func text(for password: String) -> String? {
    var password = Array(password.normalized.utf8).map { CChar(bitPattern: $0) }
    defer { sodium_memzero(&password, password.count) }
    var hash = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
    guard crypto_pwhash_str(&hash, password, UInt64(password.count), passes, memory) == 0 else { return nil }
    return String(decoding: hash.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether a text is one to store for a password, whatever its parameters.
  static func isHash(_ text: String) -> Bool {
    text.utf8.count < Int(crypto_pwhash_STRBYTES) && !text.utf8.contains(0)
      && crypto_pwhash_str_needs_rehash(text, passes, memory) >= 0
  }

  /// Whether a password is the one of a stored text; false, after as much work, where there is none.
  func verify(_ password: String, against hash: String?) -> Bool {
    let start = MonotonicClock.now
    defer { count(since: start) }
    var password = Array(password.normalized.utf8).map { CChar(bitPattern: $0) }
    defer { sodium_memzero(&password, password.count) }
    let matches = crypto_pwhash_str_verify(hash ?? unmatched, password, UInt64(password.count)) == 0
    return matches && hash != nil
  }

  private func count(since start: UInt64) {
    let time = MonotonicClock.now - start
    counted.withLock { $0.record(time) }
  }

  private static func randomHash() -> String {
    func random(_ count: Int) -> String {
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max) }
      let variant = Int32(sodium_base64_VARIANT_ORIGINAL_NO_PADDING)
      var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(count, variant))
      sodium_bin2base64(&text, text.count, bytes, count, variant)
      return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    return "$argon2id$v=19$m=\(memory >> 10),t=\(passes),p=1$\(random(16))$\(random(32))"
  }

  deinit {
    close(dropping: true)
  }

  /// Ends the threads. What waits is done first, or dropped.
  func close(dropping: Bool) {
    queue.close(dropping: dropping)
    for thread in threads { thread.join() }
  }
}
