/// The request target (RFC 9112, section 3.2), taken apart before anything in it is decoded, so that
/// an escaped `/` or `&` is a character and not a separator. It isn't copied, but looked at where it is.
public struct RequestTarget: ~Copyable, Sendable {
  /// Which of the forms of RFC 9112 the target has.
  public enum Form: Equatable, Sendable {
    /// `/path?query`
    case origin
    /// `http://authority/path?query`
    case absolute(authority: Range<Int>)
    /// `*`, of `OPTIONS *`.
    case asterisk
    /// None that this server serves.
    case invalid
  }

  /// The bytes on the wire.
  public private(set) var raw: [UInt8]
  /// Which form it has.
  public private(set) var form = Form.invalid
  /// Where in `raw` the path is.
  private(set) var pathRange = 0..<0
  /// Where in `raw` the query is, without its `?`; nil where there is none.
  private(set) var queryRange: Range<Int>?
  /// What the segments are parts of where the path has escapes: the decoded segments, one after the other.
  private var decoded: [UInt8] = []
  private var segments = Segments()
  /// Whether the path has percent escapes.
  private(set) var hasEscapes = false
  /// Whether the path can name something: it has no empty segment, no `.` or `..`, no NUL, and no more
  /// segments than any resource. Others are never followed.
  public private(set) var isPlain = true
  /// The most segments that a path can have and name something.
  static var depth: Int { Segments.capacity }

  public init(_ raw: [UInt8]) {
    self.raw = raw
    takeApart()
  }

  /// Becomes another target, in the same memory.
  mutating func replace(with bytes: UnsafeRawBufferPointer) {
    raw.replaceSubrange(0..<raw.count, with: bytes)
    decoded = []
    segments = Segments()
    (hasEscapes, isPlain) = (false, true)
    takeApart()
  }

  /// Gives back the memory of a target that was longer than most.
  mutating func forget() {
    if raw.capacity > 256 { raw = [] }
    decoded = []
  }

  private mutating func takeApart() {
    (form, pathRange, queryRange) = raw.withUnsafeBytes(Self.split)
    switch form {
    case .origin, .absolute: readSegments()
    case .asterisk, .invalid: break
    }
  }

  private static func split(_ raw: UnsafeRawBufferPointer) -> (Form, path: Range<Int>, query: Range<Int>?) {
    guard let first = raw.first else { return (.invalid, 0..<0, nil) }
    if raw.count == 1, first == UInt8(ascii: "*") { return (.asterisk, 0..<0, nil) }
    let end = raw.firstIndex(of: UInt8(ascii: "?"), in: 0..<raw.count) ?? raw.count
    let query = end < raw.count ? end + 1..<raw.count : nil
    if first == UInt8(ascii: "/") { return (.origin, 0..<end, query) }
    for scheme: StaticString in ["http://", "https://"] {
      let start = scheme.utf8CodeUnitCount
      guard end >= start, UnsafeRawBufferPointer(rebasing: raw.prefix(start)).equals(scheme) else { continue }
      let path = raw.firstIndex(of: UInt8(ascii: "/"), in: start..<end) ?? end
      return (.absolute(authority: start..<path), path..<end, query)
    }
    return (.invalid, 0..<0, nil)
  }

  /// Splits the path and decodes each segment. One trailing slash names the same resource.
  private mutating func readSegments() {
    guard pathRange.count > 1 else { return }
    (segments, hasEscapes) = raw.withUnsafeBytes { Self.segments(of: $0, pathRange) }
    isPlain = segments.isComplete
    if hasEscapes { decodeSegments() }
    if isPlain { isPlain = withSegments { $0.arePlain } && !(hasEscapes && decoded.contains(0)) }
  }

  private static func segments(of raw: UnsafeRawBufferPointer, _ path: Range<Int>) -> (Segments, Bool) {
    let end = raw[path.upperBound - 1] == UInt8(ascii: "/") ? path.upperBound - 1 : path.upperBound
    var start = path.lowerBound + 1
    let hasEscapes = raw.firstIndex(of: UInt8(ascii: "%"), in: start..<end) != nil
    var segments = Segments()
    while let slash = raw.firstIndex(of: UInt8(ascii: "/"), in: start..<end) {
      segments.append(start..<slash)
      start = slash + 1
    }
    segments.append(start..<end)
    return (segments, hasEscapes)
  }

  private mutating func decodeSegments() {
    var decodedSegments = Segments()
    for index in 0..<segments.count {
      let start = decoded.count
      PercentEncoding.decode(raw[segments[index]], into: &decoded)
      decodedSegments.append(start..<decoded.count)
    }
    segments = decodedSegments
  }

  /// How many segments the path has, of those that there is room for; none in `/`.
  public var segmentCount: Int { segments.count }

  /// Hands over the decoded segments where they lie.
  func withSegments<Result>(_ body: (SegmentBytes) throws -> Result) rethrows -> Result {
    let segments = segments
    // In each of the two where it lies: a choice between them would be a copy, whose reference is counted.
    guard hasEscapes else {
      return try raw.withUnsafeBytes { try body(SegmentBytes(text: $0, segments: segments)) }
    }
    return try decoded.withUnsafeBytes { try body(SegmentBytes(text: $0, segments: segments)) }
  }

  /// Hands over the bytes on the wire.
  func withRaw<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try raw.withUnsafeBytes(body)
  }

  /// Where in `raw` a segment is, in a path without escapes.
  func range(ofSegment index: Int) -> Range<Int> { segments[index] }

  /// Hands over the path's bytes as they came.
  func withPath<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    let range = pathRange
    return try raw.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  /// A segment of the path, decoded.
  public func segment(_ index: Int) -> ArraySlice<UInt8> {
    (hasEscapes ? decoded : raw)[segments[index]]
  }

  /// The query's pairs.
  ///
  /// - Parameter plusIsSpace: whether `+` stands for a space, as HTML forms write it, or for itself.
  public func query(plusIsSpace: Bool = false) -> Query {
    Query(queryRange.map { raw[$0] } ?? [], plusIsSpace: plusIsSpace)
  }

  /// Whether the query's two readings can differ.
  public var queryHasPlus: Bool {
    queryRange.map { raw[$0].contains(UInt8(ascii: "+")) } ?? false
  }
}

/// The decoded segments of a path, valid while they are handed over.
struct SegmentBytes {
  fileprivate let text: UnsafeRawBufferPointer
  fileprivate let segments: Segments

  var count: Int { segments.count }

  subscript(index: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: text[segments[index]]) }

  /// Whether none is empty, which two slashes leave, nor `.` or `..`.
  var arePlain: Bool {
    (0..<count).allSatisfy { index in
      let segment = self[index]
      return segment.count > 2 || !segment.allSatisfy { $0 == UInt8(ascii: ".") }
    }
  }
}

/// Where a path's segments are, kept in place: every request has some, and an array would be one more
/// piece of memory to ask for and give back.
private struct Segments {
  static let capacity = SIMD8<UInt32>.scalarCount
  private var starts = SIMD8<UInt32>()
  private var ends = SIMD8<UInt32>()
  private(set) var count = 0
  /// Whether there was room for all.
  private(set) var isComplete = true

  mutating func append(_ segment: Range<Int>) {
    guard count < Self.capacity else {
      isComplete = false
      return
    }
    // In memory: the lane of a vector is set by reading and writing the whole.
    let offset = count * MemoryLayout<UInt32>.size
    withUnsafeMutableBytes(of: &starts) {
      $0.storeBytes(of: UInt32(segment.lowerBound), toByteOffset: offset, as: UInt32.self)
    }
    withUnsafeMutableBytes(of: &ends) {
      $0.storeBytes(of: UInt32(segment.upperBound), toByteOffset: offset, as: UInt32.self)
    }
    count += 1
  }

  subscript(index: Int) -> Range<Int> { Int(starts[index])..<Int(ends[index]) }
}

/// The names and values of a query: `&` separates pairs and the first `=` of a pair its name from
/// its value. Of pairs of the same name the first counts.
public struct Query: Sendable {
  /// The pairs, decoded, in their order.
  public private(set) var pairs: [(name: [UInt8], value: [UInt8])] = []

  init(_ raw: ArraySlice<UInt8>, plusIsSpace: Bool) {
    for pair in raw.split(separator: UInt8(ascii: "&")) {
      let separator = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      var name: [UInt8] = []
      var value: [UInt8] = []
      PercentEncoding.decode(pair[..<separator], plusIsSpace: plusIsSpace, into: &name)
      PercentEncoding.decode(pair[separator...].dropFirst(), plusIsSpace: plusIsSpace, into: &value)
      pairs.append((name, value))
    }
  }

  /// The bytes of the first parameter of this name.
  public func bytes(_ name: String) -> [UInt8]? {
    pairs.first { $0.name.count == name.utf8.count && $0.name.elementsEqual(name.utf8) }?.value
  }

  /// The text of the first parameter of this name; nil where there is none.
  ///
  /// - Throws: `Problem` 400 where it isn't UTF-8.
  public func text(_ name: String) throws(Problem) -> String? {
    guard let bytes = bytes(name) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .badRequest("The query parameter '\(name)' is not UTF-8 once its percent escapes are decoded.")
    }
    return text
  }
}
