import Testing

/// A request and the answer that the contract promises: a line of the table.
///
/// In every text `{user}`, `{key}` and the other names of `Fixture.names` stand for what the server
/// under test gave, and `‹C0 80›` stands for the bytes with these hexadecimal numbers.
struct Case: Sendable {
  /// What the body of an answer has to be.
  enum Answer: Sendable, ExpressibleByStringInterpolation {
    case exactly(String)
    case begins(String)
    case contains(String)
    case nothing
    /// A row's id, as a bare JSON number.
    case id
    /// A key of the directory: bare digits.
    case key
    /// The same as a JSON string.
    case quotedKey

    init(stringLiteral text: String) { self = .exactly(text) }
  }

  /// What becomes of the connection.
  enum Connection: Sendable {
    case kept, closed
  }

  /// The bytes to send, as text.
  let message: String
  /// The first words of the message: method, target.
  let request: String
  let status: Int
  let answer: Answer?
  /// The Content-Type without its parameters.
  let type: String?
  /// Words that a problem's detail has to hold.
  let mentions: [String]
  /// Fields that the answer has: `Name` or `Name: value`.
  let has: [String]
  /// Names of fields that it hasn't.
  let lacks: [String]
  /// The methods in `Allow`, in any order.
  let allow: String?
  let connection: Connection
  /// Whether libmicrohttpd refuses the request by itself, with a page of its own.
  let isBare: Bool

  /// A well formed HTTP/1.1 request, on a connection that is kept.
  init(
    _ request: String, _ body: String? = nil, with fields: [String] = [], gives status: Int,
    _ answer: Answer? = nil, type: String? = nil, mentions: String = "", has: [String] = [],
    lacks: [String] = [], allow: String? = nil, isBare: Bool = false, then connection: Connection = .kept
  ) {
    self.request = request
    message = Wire.message(request, body, with: fields)
    (self.status, self.answer, self.type, self.has, self.lacks) = (status, answer, type, has, lacks)
    self.mentions = mentions.split(separator: " ").map(String.init)
    (self.allow, self.isBare, self.connection) = (allow, isBare, connection)
  }

  /// A request of these lines and nothing else, whose connection is closed after the answer.
  ///
  /// - Parameter isBare: the answer may be libmicrohttpd's own.
  init(
    raw lines: [String], _ body: String = "", gives status: Int, _ answer: Answer? = nil,
    mentions: String = "", isBare: Bool = false, then connection: Connection = .closed
  ) {
    request = lines.joined(separator: " ⏎ ")
    message = (lines + ["", ""]).joined(separator: "\r\n") + body
    (self.status, self.answer, self.connection, self.isBare) = (status, answer, connection, isBare)
    self.mentions = mentions.split(separator: " ").map(String.init)
    (type, has, lacks, allow) = (nil, [], [], nil)
  }

  var method: String { String(request.prefix { $0 != " " }) }
  var target: String { request.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
}

extension Case: CustomTestStringConvertible {
  var testDescription: String {
    let body = message.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first ?? ""
    let line = body.prefix(100).split(whereSeparator: \.isNewline).joined(separator: " ⏎ ")
    return "\(request.prefix(160)) \(line) → \(status)"
  }
}

/// The bytes of a message.
enum Wire {
  /// A request as text, with a Content-Length where it has a body.
  ///
  /// - Parameter body: may hold `‹C0 80›`, but no name in braces whose value has another length.
  static func message(_ request: String, _ body: String?, with fields: [String]) -> String {
    var lines = ["\(request) HTTP/1.1", "Host: {host}"] + fields
    if body != nil { lines.append("Content-Length: {length}") }
    return (lines + ["", ""]).joined(separator: "\r\n") + (body ?? "")
  }

  /// The bytes of a text, `‹C0 80›` turned into them and `{length}` into the length of the body.
  static func bytes(_ message: String) -> [UInt8] {
    guard let end = message.range(of: "\r\n\r\n") else { return encoded(message[...]) }
    let body = encoded(message[end.upperBound...])
    return encoded(message[..<end.upperBound].replacing("{length}", with: String(body.count))) + body
  }

  private static func encoded(_ text: Substring) -> [UInt8] {
    guard text.contains("‹") else { return Array(text.utf8) }
    var bytes: [UInt8] = []
    for part in text.split(separator: "‹", omittingEmptySubsequences: false).enumerated() {
      guard part.offset > 0, let close = part.element.firstIndex(of: "›") else {
        bytes += part.element.utf8
        continue
      }
      bytes += part.element[..<close].split(separator: " ").map { UInt8($0, radix: 16)! }
      bytes += part.element[part.element.index(after: close)...].utf8
    }
    return bytes
  }
}

extension String {
  /// The text so many times.
  func times(_ count: Int) -> String { String(repeating: self, count: count) }
}

/// The body of an upload. Each argument is the JSON text of a member's value; nil leaves the member
/// out.
func sighting(
  user: String? = "{user}", species: String? = "1", park: String? = "1", comment: String? = #""""#,
  date: String? = #""""#, more: String = ""
) -> String {
  let members = [
    ("user", user), ("species", species), ("park", park), ("comment", comment), ("date", date),
  ]
  let written = members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
  return "{\(written.joined(separator: ","))\(more)}"
}
