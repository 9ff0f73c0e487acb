/// Striking the secrets that travel in URLs out of what is written down.
enum Redaction {
  /// Parameters of the query whose values may be seen; what a stranger's typing error makes of the
  /// others is kept out of the log with them.
  private static let open = ["user", "species", "park", "limit", "after"]

  /// The target as the log shows it: `/directory/people/‹key›/3`, `?user=ada&password=‹redacted›`.
  static func target(of request: Request) -> String {
    var text = path(of: request)
    guard let range = request.target.queryRange else { return text }
    var separator = "?"
    for pair in request.target.raw[range].split(separator: UInt8(ascii: "&")) {
      let name = String(decoding: pair.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
      text += separator
      if open.contains(name) {
        text += String(decoding: pair, as: UTF8.self)
      } else {
        text += name == "password" ? "password=‹redacted›" : "‹redacted›"
      }
      separator = "&"
    }
    return text
  }

  /// The path as the log and a problem show it. A route's parameter `key` is struck out, and so is
  /// whatever could be a key at an address that no route has.
  static func path(of request: Request) -> String {
    let raw = String(decoding: request.rawPath, as: UTF8.self)
    let segments = raw.split(separator: "/", omittingEmptySubsequences: false)
    // The text of a path begins with a slash, so that its segments are one behind the route's.
    return segments.enumerated().map { index, segment in
      if let route = request.route {
        let known = index - 1
        return route.segments.indices.contains(known) && route.segments[known] == .parameter("key")
          ? "‹key›" : String(segment)
      }
      return segment.utf8.count >= 16 && couldBeKey(segment) ? "‹key›" : String(segment)
    }.joined(separator: "/")
  }

  /// A key is a number of up to 39 digits; percent escapes and characters typed around it hide nothing.
  private static func couldBeKey(_ segment: Substring) -> Bool {
    segment.utf8.count { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } >= 12
  }
}
