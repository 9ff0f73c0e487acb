import HTTP
import Threads

/// The scheme and authority that absolute URLs begin with: what the server was told
/// (`--public-url`), or what each request was sent to.
struct PublicOrigin: Sendable {
  /// Without a slash at the end.
  let fixed: String?

  func of(_ request: Request) -> String { fixed ?? request.origin }
}

/// An answer that differs only by the origin in it, made once for each.
final class OriginCache: Sendable {
  /// How many origins are kept: a client can make up as many as it likes.
  private static let limit = 64

  private struct State {
    var prepared: [String: PreparedResponse] = [:]
    /// What was asked for last, which mostly is asked for again: comparing costs less than hashing.
    var last: (origin: String, answer: PreparedResponse)?
  }

  private let make: @Sendable (String) -> Response
  private let state = Condition(State())

  init(_ make: @escaping @Sendable (String) -> Response) {
    self.make = make
  }

  subscript(origin: String) -> PreparedResponse {
    let known = state.withLock { state -> PreparedResponse? in
      if let last = state.last, last.origin == origin { return last.answer }
      guard let answer = state.prepared[origin] else { return nil }
      state.last = (origin, answer)
      return answer
    }
    if let known { return known }
    let made = PreparedResponse(make(origin))
    state.withLock { state in
      if state.prepared.count >= Self.limit { state.prepared = [:] }
      state.prepared[origin] = made
      state.last = (origin, made)
    }
    return made
  }
}

extension Application {
  /// Whether a text is a scheme and an authority, and nothing else.
  public static func isOrigin(_ text: String) -> Bool {
    guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return false }
    return Authority.isValid(Array(text.utf8.dropFirst(scheme.utf8.count))[...])
  }
}
