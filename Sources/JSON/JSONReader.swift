/// Why a document isn't JSON, or isn't an object.
public struct JSONError: Error, Equatable, Sendable {
  /// Where in the body, counted in bytes from 0.
  public let offset: Int
  /// What was expected there, as the rest of a sentence.
  public let reason: String

  public var description: String { "at byte \(offset): \(reason)" }
}

/// Reads a document (RFC 8259) that has to be an object, checking every byte of it.
///
/// Strict where the contract is: UTF-8 only, no lone surrogate, nothing but white space after the
/// document, at most `maximumDepth` containers inside each other. A byte order mark is skipped.
public struct JSONReader {
  /// How deep arrays and objects may be nested, the document's own level included.
  public static let maximumDepth = 64

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Reads the whole of `bytes` as one object.
  ///
  /// - Throws: `JSONError`, saying where and what was expected.
  public static func object(in bytes: [UInt8]) throws(JSONError) -> JSONObject {
    var reader = JSONReader(bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.position = 3 }
    reader.skipSpace()
    guard reader.position < bytes.count else {
      throw reader.error("the body is empty, expected a JSON object")
    }
    let start = reader.position
    guard bytes[start] == UInt8(ascii: "{") else {
      try reader.skipValue()
      throw JSONError(offset: start, reason: "expected a JSON object")
    }
    let object = try reader.readObject()
    reader.skipSpace()
    guard reader.position == bytes.count else { throw reader.error("expected nothing after the document") }
    return object
  }

  private func error(_ reason: String) -> JSONError {
    JSONError(offset: position, reason: reason)
  }

  private var next: UInt8? {
    position < bytes.count ? bytes[position] : nil
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  // MARK: Containers

  private mutating func enter() throws(JSONError) {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw error("arrays and objects are nested deeper than \(Self.maximumDepth)")
    }
    position += 1
    skipSpace()
  }

  private mutating func leave() {
    depth -= 1
    position += 1
  }

  /// After a value in a container: true where another follows, false at the container's end.
  private mutating func hasMore(before end: UInt8) throws(JSONError) -> Bool {
    skipSpace()
    if next == end { return false }
    guard next == UInt8(ascii: ",") else {
      throw error("expected ',' or '\(Character(UnicodeScalar(end)))'")
    }
    position += 1
    skipSpace()
    return true
  }

  private mutating func expectColon() throws(JSONError) {
    skipSpace()
    guard next == UInt8(ascii: ":") else { throw error("expected ':' after a member's name") }
    position += 1
    skipSpace()
  }

  private mutating func readObject() throws(JSONError) -> JSONObject {
    var members: [JSONObject.Member] = []
    try enter()
    if next != UInt8(ascii: "}") {
      repeat {
        let start = position
        let name = try readName()
        let rawName = bytes[start..<position]
        try expectColon()
        members.append(.init(name: name, rawName: rawName, value: try readValue()))
      } while try hasMore(before: UInt8(ascii: "}"))
    }
    leave()
    return JSONObject(members: members)
  }

  private mutating func readName() throws(JSONError) -> String {
    guard next == UInt8(ascii: "\"") else { throw error("expected a member's name in double quotes") }
    return try readString()
  }

  private mutating func readValue() throws(JSONError) -> JSONValue {
    let start = position
    switch next {
    case UInt8(ascii: "\""):
      let text = try readString()
      return .string(text, raw: bytes[start..<position])
    case UInt8(ascii: "{"):
      try skipValue()
      return .object(bytes[start..<position])
    case UInt8(ascii: "["):
      try skipValue()
      return .array(bytes[start..<position])
    case UInt8(ascii: "t"):
      try skipLiteral("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try skipLiteral("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try skipLiteral("null")
      return .null
    default:
      try skipNumber()
      return .number(bytes[start..<position])
    }
  }

  /// Checks a value of any kind and moves past it.
  private mutating func skipValue() throws(JSONError) {
    switch next {
    case UInt8(ascii: "{"):
      try enter()
      if next != UInt8(ascii: "}") {
        repeat {
          guard next == UInt8(ascii: "\"") else { throw error("expected a member's name in double quotes") }
          try skipString()
          try expectColon()
          try skipValue()
        } while try hasMore(before: UInt8(ascii: "}"))
      }
      leave()
    case UInt8(ascii: "["):
      try enter()
      if next != UInt8(ascii: "]") {
        repeat { try skipValue() } while try hasMore(before: UInt8(ascii: "]"))
      }
      leave()
    case UInt8(ascii: "\""): try skipString()
    case UInt8(ascii: "t"): try skipLiteral("true")
    case UInt8(ascii: "f"): try skipLiteral("false")
    case UInt8(ascii: "n"): try skipLiteral("null")
    default: try skipNumber()
    }
  }

  // MARK: Scalars

  private mutating func skipLiteral(_ literal: StaticString) throws(JSONError) {
    for offset in 0..<literal.utf8CodeUnitCount {
      guard next == literal.utf8Start[offset] else { throw error("expected a value") }
      position += 1
    }
  }

  private mutating func skipDigits() throws(JSONError) {
    let start = position
    while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
    guard position > start else { throw error("expected a digit") }
  }

  private mutating func skipNumber() throws(JSONError) {
    let start = position
    if next == UInt8(ascii: "-") { position += 1 }
    guard let first = next, first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9") else {
      throw error(position > start ? "expected a digit" : "expected a value")
    }
    if first == UInt8(ascii: "0") { position += 1 } else { try skipDigits() }
    if next == UInt8(ascii: ".") {
      position += 1
      try skipDigits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      try skipDigits()
    }
  }

  /// Moves past a string whose text isn't needed, checking it like one that is.
  private mutating func skipString() throws(JSONError) {
    _ = try scanString { _ in }
  }

  private mutating func readString() throws(JSONError) -> String {
    let start = position + 1
    // Most strings have no escape: they are their bytes.
    let plain = try scanString { _ in }
    if plain { return String(decoding: bytes[start..<position - 1], as: UTF8.self) }
    position = start - 1
    var resolved: [UInt8] = []
    _ = try scanString { resolved.append(contentsOf: $0) }
    return String(decoding: resolved, as: UTF8.self)
  }

  /// Checks the string that starts here, giving its text to `take` in pieces.
  ///
  /// - Returns: whether it holds no escape.
  private mutating func scanString(_ take: (ArraySlice<UInt8>) -> Void) throws(JSONError) -> Bool {
    position += 1
    var isPlain = true
    var runStart = position
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        take(bytes[runStart..<position])
        position += 1
        return isPlain
      case UInt8(ascii: "\\"):
        take(bytes[runStart..<position])
        isPlain = false
        position += 1
        let scalar = try scanEscape()
        take(ArraySlice(Array(String(Character(scalar)).utf8)))
        runStart = position
      case 0..<0x20:
        throw error("a control character in a string has to be written as an escape")
      case 0x20..<0x80:
        position += 1
      default:
        try skipScalar(byte)
      }
    }
    throw error("the document ends inside a string")
  }

  /// Moves past one scalar of more than one byte (Unicode 15, table 3-7: well-formed UTF-8).
  private mutating func skipScalar(_ lead: UInt8) throws(JSONError) {
    let second: ClosedRange<UInt8>
    let length: Int
    switch lead {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: throw error("not UTF-8")
    }
    guard position + length <= bytes.count, second.contains(bytes[position + 1]) else {
      throw error("not UTF-8")
    }
    for offset in 2..<max(length, 2) where !(0x80...0xBF).contains(bytes[position + offset]) {
      throw error("not UTF-8")
    }
    position += length
  }

  /// Reads what follows a backslash.
  private mutating func scanEscape() throws(JSONError) -> UnicodeScalar {
    guard let byte = next else { throw error("the document ends inside a string") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UnicodeScalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default:
      position -= 1
      throw error("not an escape that JSON knows")
    }
    let unit = try scanCodeUnit()
    if let scalar = UnicodeScalar(unit) { return scalar }
    guard unit < 0xDC00, next == UInt8(ascii: "\\"), position + 1 < bytes.count,
      bytes[position + 1] == UInt8(ascii: "u")
    else { throw error("a surrogate without its other half") }
    position += 2
    let low = try scanCodeUnit()
    guard (0xDC00...0xDFFF).contains(low),
      let scalar = UnicodeScalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
    else { throw error("a surrogate without its other half") }
    return scalar
  }

  private mutating func scanCodeUnit() throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
        throw error("expected four hexadecimal digits after \\u")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}
