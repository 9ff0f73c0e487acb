import CSodium
import HTTP
import Threads

/// Slows the guessing of passwords. A class shares one address, so what counts is how often one
/// name failed from one address, and, more loosely, from anywhere.
///
/// After `tries` wrong passwords in a row a name has to wait: a second, then twice as long after each
/// further failure, up to `longestWait`. In the meantime every try is refused unchecked; when the
/// wait is over one is checked. A right password ends it.
final class LoginThrottle: Sendable {
  struct Limits: Sendable {
    /// Wrong passwords in a row by app, name and address.
    var tries = 10
    /// Wrong passwords in a row by app and name.
    var triesFromAnywhere = 100
    /// In seconds.
    var longestWait = 60
  }

  /// One name, or one name at one address, as a hash: its size doesn't depend on who chose it.
  struct Key: Hashable, Sendable {
    fileprivate let hash: [UInt8]
    fileprivate let isFromAnywhere: Bool

    /// - Parameters:
    ///   - name: in normalization form C.
    ///   - address: nil to count the name from anywhere.
    init(app: String, name: String, address: IPAddress?) {
      var hash = [UInt8](repeating: 0, count: 16)
      let bytes = Array(app.utf8) + [0] + Array(name.utf8) + [0] + (address?.network ?? [])
      crypto_generichash(&hash, hash.count, bytes, UInt64(bytes.count), nil, 0)
      self.hash = hash
      isFromAnywhere = address == nil
    }

    /// The keys under which a try is counted.
    static func all(app: String, name: String, address: IPAddress?) -> Set<Key> {
      var keys: Set = [Key(app: app, name: name, address: nil)]
      if let address { keys.insert(Key(app: app, name: name, address: address)) }
      return keys
    }
  }

  private struct Entry {
    var failures = 0
    var lastFailure: UInt64 = 0
    /// Until when every try is refused.
    var blockedUntil: UInt64 = 0
    /// Whether the one try after a wait is being checked.
    var isTrying = false
  }

  /// How many names are remembered. Past it those with the fewest failures are forgotten, each of
  /// which has cost whoever wants them forgotten a hash.
  private static let remembered = 20_000
  /// After an hour without a failure a name is forgotten.
  private static let lifetime: UInt64 = 3_600 * 1_000_000_000

  private let limits: Limits
  private let now: @Sendable () -> UInt64
  private let entries = Condition<[Key: Entry]>([:])

  /// - Parameter now: the time in nanoseconds, which never goes back.
  init(_ limits: Limits, now: @escaping @Sendable () -> UInt64 = { MonotonicClock.now }) {
    self.limits = limits
    self.now = now
  }

  /// Begins a try that is counted under each of the keys.
  ///
  /// - Throws: `Problem` 429 where one of them has to wait; then the try is over.
  func begin(_ keys: Set<Key>) throws(Problem) {
    let wait = entries.withLock { entries -> UInt64 in
      // In here, so that times are in the order in which they count.
      let time = now()
      let wait = keys.map { waitingTime(entries[$0], for: $0, at: time) }.max() ?? 0
      guard wait == 0 else { return wait }
      for key in keys where entries[key].map({ $0.failures >= limit(for: key) }) == true {
        entries[key]?.isTrying = true
      }
      return 0
    }
    guard wait == 0 else {
      let seconds = Int((wait + 999_999_999) / 1_000_000_000)
      throw Problem(
        .tooManyRequests, "Too many wrong passwords for this name: the next try counts in \(seconds) s.",
        fields: [Field("Retry-After", "\(seconds)")])
    }
  }

  /// Ends a try that `begin` let through.
  ///
  /// - Parameter right: those of the keys whose name had the right password. Where there are some, the
  ///   others are as they were: the try has failed for nobody.
  func end(_ keys: Set<Key>, right: Set<Key>) {
    entries.withLock { entries in
      let time = now()
      for key in keys {
        if right.contains(key) {
          entries[key] = nil
        } else if right.isEmpty {
          fail(&entries[key, default: Entry()], for: key, at: time)
        } else {
          entries[key]?.isTrying = false
        }
      }
      if entries.count > Self.remembered { forget(&entries, at: time) }
    }
  }

  private func limit(for key: Key) -> Int { key.isFromAnywhere ? limits.triesFromAnywhere : limits.tries }

  private func waitingTime(_ entry: Entry?, for key: Key, at time: UInt64) -> UInt64 {
    guard let entry, entry.failures >= limit(for: key) else { return 0 }
    if entry.blockedUntil > time { return entry.blockedUntil - time }
    return entry.isTrying ? 1_000_000_000 : 0
  }

  private func fail(_ entry: inout Entry, for key: Key, at time: UInt64) {
    if entry.failures > 0, time > entry.lastFailure + Self.lifetime { entry = Entry() }
    entry.isTrying = false
    // Begun before the wait did, which it can't prolong.
    guard entry.blockedUntil <= time else { return }
    entry.failures += 1
    entry.lastFailure = time
    let excess = entry.failures - limit(for: key)
    guard excess >= 0 else { return }
    let wait = min(1 << min(excess, 30), limits.longestWait)
    entry.blockedUntil = time + UInt64(wait) * 1_000_000_000
  }

  private func forget(_ entries: inout [Key: Entry], at time: UInt64) {
    entries = entries.filter { $0.value.isTrying || time <= $0.value.lastFailure + Self.lifetime }
    guard entries.count > Self.remembered else { return }
    let kept = entries.sorted { $0.value.failures > $1.value.failures }.prefix(Self.remembered * 9 / 10)
    entries = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }
}
