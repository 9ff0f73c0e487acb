/// A JSON object as a client sent it: its members in order, one level deep. What a member holds
/// beyond a string or a literal stays the text that it was, so that a number keeps its digits.
public struct JSONObject: Sendable {
  /// A member of the object.
  public struct Member: Sendable {
    /// The name, escapes resolved.
    public let name: String
    /// The name as it was written, quotes and escapes included.
    public let rawName: ArraySlice<UInt8>
    /// What it holds.
    public let value: JSONValue
  }

  /// The members in the order in which their names first came. Of members of the same name the
  /// last value is kept.
  public private(set) var members: [Member] = []

  /// An object without members.
  public init() {}

  init(members read: [Member]) {
    // Short objects with each name once, which nearly all are, need no index.
    if read.count <= 16, !Self.hasNameTwice(read) {
      members = read
      return
    }
    var positions: [[UInt8]: Int] = [:]
    for member in read {
      let name = Array(member.name.utf8)
      if let known = positions[name] {
        members[known] = member
      } else {
        positions[name] = members.count
        members.append(member)
      }
    }
  }

  private static func hasNameTwice(_ members: [Member]) -> Bool {
    for index in members.indices {
      for other in 0..<index where members[other].name.isSame(as: members[index].name) { return true }
    }
    return false
  }

  /// The value of the member of this name, compared byte for byte; nil where there is none or it
  /// is null.
  public subscript(name: String) -> JSONValue? {
    guard let index = members.firstIndex(where: { $0.name.isSame(as: name) }) else { return nil }
    if case .null = members[index].value { return nil }
    return members[index].value
  }
}

extension String {
  /// Whether two texts are the same byte for byte; `==` holds what looks the same for equal.
  fileprivate func isSame(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let isSame = utf8.withContiguousStorageIfAvailable { bytes in
      other.utf8.withContiguousStorageIfAvailable { others in
        bytes.elementsEqual(others)
      }
    }
    // Texts that came from Objective-C have no such storage.
    return isSame.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
  }
}

/// What a member of an object holds.
public enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// A number, as it was written.
  case number(ArraySlice<UInt8>)
  /// A string, its escapes resolved, and as it was written.
  case string(String, raw: ArraySlice<UInt8>)
  /// An array, as it was written; checked, not read.
  case array(ArraySlice<UInt8>)
  /// An object, as it was written; checked, not read.
  case object(ArraySlice<UInt8>)

  /// The kind of value, as a sentence about it would say it: "a string", "null".
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// The value's text as it was written.
  public var raw: ArraySlice<UInt8> {
    switch self {
    case .null: ArraySlice("null".utf8)
    case .bool(let value): ArraySlice((value ? "true" : "false").utf8)
    case .number(let raw), .array(let raw), .object(let raw), .string(_, let raw): raw
    }
  }

  /// The value as a whole number: a JSON number of integral value within 64 bits (`1`, `1.0`,
  /// `1e0`), or a string of an optional minus sign and digits. Nil for anything else.
  public var wholeNumber: Int64? {
    switch self {
    // Nearly all are written as they are.
    case .number(let raw): Int64(wholeNumber: raw) ?? Decimal(raw).wholeNumber
    case .string(let text, _): Int64(wholeNumber: text.utf8)
    default: nil
    }
  }
}

extension Int64 {
  /// Reads `-?[0-9]+`; nil for any other text and for a number beyond 64 bits.
  @inlinable
  public init?(wholeNumber text: some Sequence<UInt8>) {
    var isNegative = false
    var hasDigits = false
    var value: Int64 = 0
    for (index, byte) in text.enumerated() {
      if index == 0, byte == UInt8(ascii: "-") {
        isNegative = true
        continue
      }
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      let digit = Int64(byte - UInt8(ascii: "0"))
      let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) =
        isNegative ? shifted.subtractingReportingOverflow(digit) : shifted.addingReportingOverflow(digit)
      guard !overflow, !carry else { return nil }
      value = sum
      hasDigits = true
    }
    guard hasDigits else { return nil }
    self = value
  }
}

/// A JSON number taken apart: its digits without the point, and the power of ten they are of.
private struct Decimal {
  private var isNegative = false
  private var digits: [UInt8] = []
  private var exponent = 0

  /// - Parameter raw: a number that the reader has found well formed.
  init(_ raw: ArraySlice<UInt8>) {
    var rest = raw
    if rest.first == UInt8(ascii: "-") {
      isNegative = true
      rest.removeFirst()
    }
    var isFraction = false
    while let byte = rest.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
      rest.removeFirst()
      if byte == UInt8(ascii: ".") {
        isFraction = true
        continue
      }
      if isFraction { exponent -= 1 }
      digits.append(byte)
    }
    guard !rest.isEmpty else { return }
    rest.removeFirst()
    if rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    // An exponent beyond 32 bits is as good as infinite: the body that could fill it has no room.
    let written = Int64(wholeNumber: rest) ?? (rest.first == UInt8(ascii: "-") ? .min : .max)
    exponent += Int(max(min(written, Int64(Int32.max)), Int64(Int32.min)))
  }

  var wholeNumber: Int64? {
    var significant = digits.drop { $0 == UInt8(ascii: "0") }
    guard !significant.isEmpty else { return 0 }
    var exponent = exponent
    while significant.last == UInt8(ascii: "0") {
      significant.removeLast()
      exponent += 1
    }
    guard exponent >= 0, significant.count + exponent <= 19 else { return nil }
    let zeros = repeatElement(UInt8(ascii: "0"), count: exponent)
    let sign: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
    return Int64(wholeNumber: sign + significant + zeros)
  }
}
