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

  /// The document with one to three bytes replaced, taken out, put in, or cut off.
  mutating func spoiled(_ document: [UInt8]) -> [UInt8] {
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
