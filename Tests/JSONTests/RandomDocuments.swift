import Foundation
import TestSupport

/// Makes JSON documents, and spoils them.
struct RandomDocuments {
  private var generator: SeededGenerator
  private static let pieces = [
    "a", "name", " ", "\"", "\\", "/", "\n", "\u{1}", "\u{0}", "é", "\u{2028}", "😀", "\u{FFFD}", "0", "-7",
    "true",
    "null", "{", "]", ",", ":", "\u{10FFFF}", "漢字",
  ]
  /// Bytes that a spoiled document is likely to be wrong by.
  private static let spoilers =
    Array("{}[]\",:\\/u0123456789abcdefDn-+.eE tfl\n\0".utf8) + [0x80, 0xC3, 0xED, 0xF4, 0xFF]

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private mutating func string() -> String {
    (0..<Int.random(in: 0...4, using: &generator)).map { _ in Self.pieces.randomElement(using: &generator)! }
      .joined()
  }

  private mutating func value(depth: Int) -> Any {
    switch Int.random(in: 0...(depth > 3 ? 6 : 9), using: &generator) {
    case 0: return Int.random(in: -1000...1000, using: &generator)
    case 1: return Double.random(in: -1e9...1e9, using: &generator)
    case 2: return Bool.random(using: &generator)
    case 3: return NSNull()
    case 4, 5, 6: return string()
    case 7: return (0..<Int.random(in: 0...4, using: &generator)).map { _ in value(depth: depth + 1) }
    default: return object(depth: depth + 1)
    }
  }

  private mutating func object(depth: Int) -> [String: Any] {
    var object: [String: Any] = [:]
    for _ in 0..<Int.random(in: 0...(depth == 0 ? 20 : 4), using: &generator) {
      object[string()] = value(depth: depth)
    }
    return object
  }

  /// A document as Foundation writes it.
  mutating func document() throws -> [UInt8] {
    var options: JSONSerialization.WritingOptions = [.sortedKeys]
    if Bool.random(using: &generator) { options.insert(.prettyPrinted) }
    if Bool.random(using: &generator) { options.insert(.withoutEscapingSlashes) }
    return Array(try JSONSerialization.data(withJSONObject: object(depth: 0), options: options))
  }

  /// A document in every way of writing that RFC 8259 knows: white space, escapes, numbers, and a name
  /// now and then twice.
  mutating func ownDocument() -> [UInt8] { Array((space() + writtenObject(depth: 0) + space()).utf8) }

  private mutating func pick(_ texts: [String]) -> String { texts.randomElement(using: &generator)! }

  private mutating func list(_ range: ClosedRange<Int>, _ item: (inout Self) -> String) -> String {
    (0..<Int.random(in: range, using: &generator)).map { _ in item(&self) }.joined(separator: ",")
  }

  private mutating func space() -> String {
    (0..<Int.random(in: -4...2, using: &generator).magnitude / 2).map { _ in pick([" ", "\n", "\t", "\r"]) }
      .joined()
  }

  private mutating func writtenObject(depth: Int) -> String {
    let members = list(0...(depth == 0 ? 20 : 3)) { documents in
      documents.space() + documents.writtenString() + documents.space() + ":"
        + documents.writtenValue(depth: depth + 1)
    }
    return "{\(members)\(space())}"
  }

  private mutating func writtenValue(depth: Int) -> String {
    switch Int.random(in: 0...(depth > 3 ? 6 : 9), using: &generator) {
    case 0, 1, 2: space() + writtenNumber() + space()
    case 3: space() + pick(["true", "false", "null"]) + space()
    case 4, 5, 6: space() + writtenString() + space()
    case 7: space() + "[\(list(0...4) { $0.writtenValue(depth: depth + 1) })\(space())]" + space()
    default: space() + writtenObject(depth: depth) + space()
    }
  }

  private mutating func writtenNumber() -> String {
    let digits = [
      "0", "7", "10", "1000000", "9007199254740993", "9223372036854775807", "9223372036854775808",
    ]
    return pick(["", "-"]) + pick(digits) + pick(["", "", ".0", ".50", ".125"])
      + pick(["", "", "e0", "E+2", "e-3", "e00"])
  }

  private mutating func writtenString() -> String {
    let scalars = string().unicodeScalars.map { scalar -> String in
      let isEscaped = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
      guard isEscaped || Int.random(in: 0...3, using: &generator) == 0 else { return String(scalar) }
      return String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16, uppercase: Bool.random(using: &generator))
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
    return "\"" + scalars.joined() + pick(["", "", "\\/", "\\n", "\\\"", "\\\\"]) + "\""
  }

  /// A document of either kind, spoiled.
  mutating func spoiledDocument() throws -> [UInt8] {
    let document = Bool.random(using: &generator) ? try document() : ownDocument()
    return spoiled(document)
  }

  /// The document with one to three bytes replaced, taken out, put in, or cut off.
  private mutating func spoiled(_ document: [UInt8]) -> [UInt8] {
    var bytes = document
    for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
      let position = Int.random(in: 0..<bytes.count, using: &generator)
      let byte = Self.spoilers.randomElement(using: &generator)!
      switch Int.random(in: 0...9, using: &generator) {
      case 0: bytes.removeSubrange(position...)
      case 1, 2: bytes.remove(at: position)
      case 3, 4: bytes.insert(byte, at: position)
      default: bytes[position] = byte
      }
    }
    return bytes
  }
}
