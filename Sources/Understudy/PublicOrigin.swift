import HTTP
import Synchronization

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

  private let make: @Sendable (String) -> Response
  private let prepared = Mutex<[String: PreparedResponse]>([:])

  init(_ make: @escaping @Sendable (String) -> Response) {
    self.make = make
  }

  subscript(origin: String) -> PreparedResponse {
    if let known = prepared.withLock({ $0[origin] }) { return known }
    let made = PreparedResponse(make(origin))
    prepared.withLock { prepared in
      if prepared.count >= Self.limit { prepared = [:] }
      prepared[origin] = made
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
