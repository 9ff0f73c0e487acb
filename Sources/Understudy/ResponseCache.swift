import HTTP
import Threads

/// Answers that are kept, each under the key of what it shows, until that changes.
///
/// What changes it calls `forget` once the change is committed, and before anybody is told of it: from
/// then on no request gets the old answer. An answer that was being read meanwhile is given to the request
/// that read it, which came before the change was answered, and isn't kept.
final class ResponseCache: Sendable {
  /// What an answer takes beside its body, in bytes: libmicrohttpd's object with its header, and the key.
  private static let overhead = 1024

  /// Two generations: what is asked for is in the recent one, or comes into it; when that is full it
  /// becomes the older one, whose answers nobody asked for since then are gone.
  private struct State {
    var recent: [String: PreparedResponse] = [:]
    var older: [String: PreparedResponse] = [:]
    var recentBytes = 0
    /// How often a key was forgotten; keys share counters, which at worst keeps an answer from being kept.
    var changes = [UInt32](repeating: 0, count: 256)

    mutating func keep(_ answer: PreparedResponse, for key: String, limit: Int) {
      let bytes = answer.response.body.count + ResponseCache.overhead
      if recentBytes + bytes > limit / 2 {
        older = recent
        recent = [:]
        recentBytes = 0
      }
      recent[key] = answer
      recentBytes += bytes
    }
  }

  private let limit: Int
  private let state = Condition(State())

  /// - Parameter limit: how many bytes the answers may take together; 0 keeps none.
  init(limit: Int) {
    self.limit = limit
  }

  /// The answer that is kept for a key, or the one that `read` makes now.
  func answer(for key: String, reading read: () throws -> Response) rethrows -> PreparedResponse {
    let known = state.withLock { state -> PreparedResponse? in
      if let answer = state.recent[key] { return answer }
      guard let answer = state.older.removeValue(forKey: key) else { return nil }
      state.keep(answer, for: key, limit: limit)
      return answer
    }
    if let known { return known }
    let counter = Self.counter(of: key)
    // Before anything is read, so that a change between here and the end is noticed.
    let changes = state.withLock { $0.changes[counter] }
    let answer = PreparedResponse(try read(), isShared: false)
    if answer.response.body.count + Self.overhead <= limit / 8 {
      state.withLock { state in
        if state.changes[counter] == changes { state.keep(answer, for: key, limit: limit) }
      }
    }
    return answer
  }

  /// Forgets the answer for a key.
  func forget(_ key: String) {
    let counter = Self.counter(of: key)
    state.withLock { state in
      state.changes[counter] &+= 1
      state.older[key] = nil
      if let answer = state.recent.removeValue(forKey: key) {
        state.recentBytes -= answer.response.body.count + Self.overhead
      }
    }
  }

  private static func counter(of key: String) -> Int { key.hashValue & 255 }
}
