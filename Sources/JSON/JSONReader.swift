/// Why a document isn't JSON, or isn't an object.
public struct JSONError: Error, Equatable, Sendable {
  /// Where in the body, counted in bytes from 0.
  public let offset: Int
  /// What was expected there, as the rest of a sentence.
  public let reason: String

  /// Where and what, as the rest of a sentence.
  public var description: String { "at byte \(offset): \(reason)" }
}

/// Reads a document (RFC 8259) that has to be an object, checking every byte of it.
///
/// Strict where the contract is: UTF-8 only, no lone surrogate, nothing but white space after the
/// document, at most `maximumDepth` containers inside each other. A byte order mark is skipped.
public struct JSONReader {
  /// How deep arrays and objects may be nested, the document's own level included.
  public static let maximumDepth = 64

  let bytes: [UInt8]
  var position = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Reads the whole of `bytes` as one object.
  ///
  /// - Throws: `JSONError`, saying where and what was expected.
  public static func object(in bytes: [UInt8]) throws(JSONError) -> JSONObject {
    var reader = JSONReader(bytes)
    reader.skipMarkAndSpace()
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

  /// Reads the elements of an array, one level deep.
  ///
  /// - Parameter array: an array as it was written, alone, or a whole document that is one.
  /// - Throws: `JSONError`.
  public static func elements(of array: ArraySlice<UInt8>) throws(JSONError) -> [JSONValue] {
    var reader = JSONReader(Array(array))
    reader.skipMarkAndSpace()
    guard reader.next == UInt8(ascii: "[") else { throw reader.error("expected an array") }
    var elements: [JSONValue] = []
    try reader.enter()
    if reader.next != UInt8(ascii: "]") {
      repeat { elements.append(try reader.readValue()) } while try reader.hasMore(before: UInt8(ascii: "]"))
    }
    reader.leave()
    reader.skipSpace()
    guard reader.next == nil else { throw reader.error("expected nothing after the array") }
    return elements
  }

  func error(_ reason: String) -> JSONError {
    JSONError(offset: position, reason: reason)
  }

  var next: UInt8? {
    position < bytes.count ? bytes[position] : nil
  }

  /// Moves to where a document begins.
  private mutating func skipMarkAndSpace() {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    skipSpace()
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
    members.reserveCapacity(8)
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
}
