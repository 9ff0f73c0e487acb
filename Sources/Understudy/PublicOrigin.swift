import HTTP

/// The scheme and authority that absolute URLs begin with: what the server was told
/// (`--public-url`), or what each request was sent to.
struct PublicOrigin: Sendable {
  /// Without a slash at the end.
  let fixed: String?

  func of(_ request: Request) -> String { fixed ?? request.origin }
}

extension Application {
  /// Whether a text is a scheme and an authority, and nothing else.
  public static func isOrigin(_ text: String) -> Bool {
    guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return false }
    return Authority.isValid(Array(text.utf8.dropFirst(scheme.utf8.count))[...])
  }
}
