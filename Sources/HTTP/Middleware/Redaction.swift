import JSON

/// Striking the secrets that travel in URLs out of what is written down.
enum Redaction {
  /// Parameters of the query whose values may be seen; what a stranger's typing error makes of the
  /// others is kept out of the log with them.
  private static let open = ["user", "species", "park", "limit", "after"]

  /// What stands for a key.
  private static let key: StaticString = "‹key›"

  /// What needs no second look in a parameter of a path.
  private static let plain = ASCIISet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

  /// Whether the target's form in the log can be told from its bytes as they are: a known route's path,
  /// without escapes and without a query.
  static func isPlain(targetOf request: Request) -> Bool {
    guard request.target.queryRange == nil, !request.target.hasEscapes else { return false }
    return request.withRoute { route in
      guard let route else { return false }
      guard route.showsParameters else { return true }
      let plain = plain
      return request.target.withSegments { segments in
        (0..<segments.count).allSatisfy { !route.shows($0) || segments[$0].allSatisfy(plain.contains) }
      }
    }
  }

  /// How many bytes a plain target takes at most as the log shows it.
  static func length(ofPlainTargetOf request: Request) -> Int {
    request.target.pathRange.count + request.target.segmentCount * key.utf8CodeUnitCount
  }

  /// Appends a plain target as the log shows it: as `target(of:)`, at a fraction of its price.
  static func append(plainTargetOf request: Request, to line: inout ByteWriter) {
    request.target.withRaw { raw in
      var start = request.target.pathRange.lowerBound
      request.withRoute { route in
        guard let route else { return }
        for index in 0..<request.target.segmentCount {
          let segment = request.target.range(ofSegment: index)
          guard
            index == route.secret
              || route.shows(index) && couldBeKey(UnsafeRawBufferPointer(rebasing: raw[segment]))
          else { continue }
          line.append(UnsafeRawBufferPointer(rebasing: raw[start..<segment.lowerBound]))
          line.append(key)
          start = segment.upperBound
        }
      }
      line.append(UnsafeRawBufferPointer(rebasing: raw[start..<request.target.pathRange.upperBound]))
    }
  }

  /// The target as the log shows it: `/directory/people/‹key›/3`, `?user=ada&password=‹redacted›`.
  static func target(of request: Request) -> String {
    let path = path(of: request)
    guard let range = request.target.queryRange else { return path }
    var pairs: [String] = []
    for pair in request.target.raw[range].split(separator: UInt8(ascii: "&")) {
      let name = String(decoding: pair.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
      let isOpen = open.contains(name)
      let shown =
        if isOpen, isOnePiece(pair.dropFirst(name.utf8.count + 1), of: name) {
          String(decoding: pair, as: UTF8.self)
        } else if isOpen || name == "password" {
          "\(name)=‹redacted›"
        } else {
          "‹redacted›"
        }
      // A query of many parameters makes no long line.
      if shown != pairs.last { pairs.append(shown) }
    }
    return path + "?" + pairs.joined(separator: "&")
  }

  /// Whether a value can't hold another pair, typed with the wrong separator, or a key.
  private static func isOnePiece(_ value: ArraySlice<UInt8>, of name: String) -> Bool {
    guard name == "user" else { return Int64(wholeNumber: value) != nil }
    var decoded: [UInt8] = []
    PercentEncoding.decode(value, plusIsSpace: true, into: &decoded)
    let separators = separators
    return !decoded.contains(where: separators.contains) && !couldBeKey(decoded)
  }

  /// What a name and a password may be typed with between them.
  private static let separators = ASCIISet(";?&=#/,:|\\@ ")

  /// The path as the log and a problem show it. A route's parameter `key` is struck out, and so is
  /// whatever could be a key elsewhere.
  static func path(of request: Request) -> String {
    let raw = request.target.withPath(\.text)
    var isBehindUsers = false
    // The text of a path begins with a slash, so that its segments are one behind the route's.
    return raw.split(separator: "/", omittingEmptySubsequences: false).enumerated().map { index, segment in
      let known = index - 1
      if let secret = request.route?.secret, secret == known { return "\(key)" }
      if couldBeKey(segment.utf8) { return "\(key)" }
      defer { isBehindUsers = isBehindUsers || segment.lowercased() == "users" }
      // Where no route answers, somebody may have put name and password.
      if isBehindUsers, request.routed == nil, !segment.isEmpty { return "‹redacted›" }
      return isPlain(segment.utf8) ? String(segment) : "‹redacted›"
    }.joined(separator: "/")
  }

  /// The method as the log and a problem show it.
  static func method(of request: Request) -> String {
    guard case .other(let name) = request.method else { return request.method.name }
    return name.utf8.count <= 16
      && name.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0 & 0xDF) }
      ? name : "‹method›"
  }

  /// Whether a piece of a path holds nothing of a query: an app whose question mark was escaped sends
  /// name and password as a part of the path.
  private static func isPlain(_ text: some Collection<UInt8>) -> Bool {
    var decoded: [UInt8] = []
    PercentEncoding.decode(text, into: &decoded)
    let separators = separators
    return !decoded.contains { separators.contains($0) && $0 != UInt8(ascii: "/") }
  }

  /// A key is a number of up to 39 digits; percent escapes and characters typed around it hide nothing.
  private static func couldBeKey(_ text: some Collection<UInt8>) -> Bool {
    text.count { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } >= 12
  }
}
