import Foundation
import JSON

/// Our reader and Foundation's, which the iOS clients write and read with, on the same document.
///
/// Where they differ, and rightly:
/// - Foundation takes a comma before a closing bracket, which RFC 8259 doesn't have;
/// - Foundation refuses numbers beyond a Double, and we keep them as they were written;
/// - Foundation nests 512 deep, and we 64;
/// - Foundation drops a byte order mark (U+FEFF) at a string's beginning;
/// - Foundation looks for UTF-16 and UTF-32 in what has a NUL or a mark of theirs among its first bytes;
/// - of members whose names are the same text to Swift's `String` (é written in two ways is) Foundation
///   keeps one, and we only merge names of the same bytes.
public enum FoundationAgreement {
  /// - Returns: what the two make of it differently, nil where they agree.
  public static func disagreement(on document: [UInt8]) -> String? {
    guard !document.prefix(4).contains(where: { [0, 0xFE, 0xFF].contains($0) }) else { return nil }
    let theirs = try? JSONSerialization.jsonObject(with: Data(document)) as? [String: Any]
    let ours = Result { () throws(JSONError) in try JSONReader.object(in: document) }
    let shown = String(decoding: document, as: UTF8.self)
    switch (ours, theirs) {
    case (.failure, nil): return nil
    case (.success, nil): return hasNumberBeyondDouble(shown) ? nil : "only Foundation refuses \(shown)"
    case (.failure(let error), .some):
      let isKnown =
        isCommaBeforeBracket(document, at: error.offset) || error.reason.contains("nested deeper")
      return isKnown ? nil : "only we refuse, \(error.description): \(shown)"
    case (.success(let ours), let theirs?):
      return difference(ours, theirs).map { "\($0) in \(shown)" }
    }
  }

  private static func difference(_ ours: JSONObject, _ theirs: [String: Any]) -> String? {
    let names = ours.members.map { withoutMark($0.name) }
    guard Set(names) == Set(theirs.keys.map(withoutMark)) else { return "other names" }
    let values = Dictionary(theirs.map { (withoutMark($0), $1) }) { $1 }
    for (name, member) in zip(names, ours.members) where names.count(where: { $0 == name }) == 1 {
      guard let value = values[name], agree(member.value, value) else { return "'\(member.name)'" }
    }
    return nil
  }

  private static func agree(_ ours: JSONValue, _ theirs: Any) -> Bool {
    switch ours {
    case .null: return theirs is NSNull
    case .bool(let value): return (theirs as? NSNumber)?.boolValue == value && isBool(theirs)
    case .string(let text, _):
      return (theirs as? String).map(withoutMark)?.utf8.elementsEqual(withoutMark(text).utf8) == true
    case .number(let raw):
      guard let number = theirs as? NSNumber, !isBool(theirs) else { return false }
      let text = String(decoding: raw, as: UTF8.self)
      guard let double = Double(text), isNear(number.doubleValue, double) else { return false }
      // What is written as a whole number within 64 bits is one for both.
      guard let whole = ours.wholeNumber else { return Int64(text) == nil }
      return Double(whole) == double && (Int64(text) == nil || number.int64Value == whole)
    // Arrays are checked by our reader, and not read.
    case .array: return theirs is [Any]
    case .object(let raw):
      guard let theirs = theirs as? [String: Any], let ours = try? JSONReader.object(in: Array(raw)) else {
        return false
      }
      return difference(ours, theirs) == nil
    }
  }

  /// Foundation has many digits as a decimal number, whose `doubleValue` isn't the nearest one.
  private static func isNear(_ one: Double, _ other: Double) -> Bool {
    abs(one - other) <= 1e-12 * abs(other)
  }

  private static func withoutMark(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{FEFF}" }))
  }

  /// Foundation's `true` is a number too, of a type of its own.
  private static func isBool(_ value: Any) -> Bool {
    (value as? NSNumber).map { ["c", "B"].contains(String(cString: $0.objCType)) } ?? false
  }

  private static func hasNumberBeyondDouble(_ document: String) -> Bool {
    document.matches(of: /-?[0-9.]+([eE][-+]?[0-9]+)?/).contains { number in
      Double(number.output.0).map { !$0.isFinite || $0 == 0 } ?? true
    }
  }

  private static func isCommaBeforeBracket(_ document: [UInt8], at offset: Int) -> Bool {
    guard document.indices.contains(offset), "}]".utf8.contains(document[offset]) else { return false }
    return document[..<offset].last { !" \n\r\t".utf8.contains($0) } == UInt8(ascii: ",")
  }
}
