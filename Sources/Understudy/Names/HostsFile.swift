import Certificates

/// A hosts file (hosts(5)), in which the lines of this program stand between two marker lines, and
/// everything else is somebody else's and stays as it is, byte for byte.
public struct HostsFile: Equatable, Sendable {
  /// Marker lines are there that don't belong together, as after a careless edit.
  public struct Damage: Error, Equatable {
    /// The number of the marker line, from 1 on.
    public let line: Int
  }

  /// A line of somebody else's that gives a name to an address.
  public struct Entry: Equatable, Sendable {
    /// The line's number, from 1 on.
    public let line: Int
    /// The line.
    public let text: String
  }

  static let begin = "# understudy: begin"
  /// Begins a block before which the file didn't end with a line ending, which goes when the block goes.
  static let beginAfterUnended = begin + " (the line before had no end)"
  static let end = "# understudy: end"

  /// All of it.
  public private(set) var bytes: [UInt8]
  /// A block of this program, markers and line endings included.
  private struct Block: Equatable {
    let range: Range<Int>
    let isAfterUnended: Bool
  }

  /// Mostly none or one; more where somebody has put files together.
  private let blocks: [Block]

  /// - Throws: `Damage`.
  public init(_ bytes: [UInt8]) throws(Damage) {
    self.bytes = bytes
    var open: (start: Int, line: Int, isAfterUnended: Bool)?
    var found: [Block] = []
    for (number, line) in Self.lines(of: bytes).enumerated() {
      switch Self.text(bytes[line]) {
      case Self.begin, Self.beginAfterUnended:
        guard open == nil else { throw Damage(line: number + 1) }
        open = (line.lowerBound, number + 1, Self.text(bytes[line]) == Self.beginAfterUnended)
      case Self.end:
        guard let begun = open else { throw Damage(line: number + 1) }
        found.append(Block(range: begun.start..<line.upperBound, isAfterUnended: begun.isAfterUnended))
        open = nil
      default: break
      }
    }
    if let open { throw Damage(line: open.line) }
    blocks = found
  }

  /// The lines that point names at this machine, each name at IPv4's loopback address and at IPv6's.
  public static func entries(for names: [HostName]) -> [String] {
    names.flatMap { ["127.0.0.1 \($0)", "::1 \($0)"] }
  }

  /// The same between the markers.
  public static func block(for names: [HostName]) -> [String] { [begin] + entries(for: names) + [end] }

  /// The file with one block for these names: where the first one was, or else at the end, since the first name of an
  /// address is what programs call that address by.
  public func pointing(_ names: [HostName]) -> [UInt8] {
    var lines = Self.block(for: names)
    let isUnended =
      blocks.first.map(\.isAfterUnended) ?? bytes.last.map { $0 != UInt8(ascii: "\n") } ?? false
    if isUnended { lines[0] = Self.beginAfterUnended }
    let text = lines.map { $0 + lineEnding }.joined()
    guard let block = blocks.first?.range else {
      return bytes + (isUnended ? Array(lineEnding.utf8) : []) + text.utf8
    }
    return Array(
      bytes[..<block.lowerBound] + text.utf8
        + Self.without(blocks.dropFirst(), bytes, from: block.upperBound, lineEnding))
  }

  /// The file without this program's blocks.
  public var withoutBlock: [UInt8] { Self.without(blocks[...], bytes, from: 0, lineEnding) }

  /// What is in a file from a place on, without blocks.
  private static func without(
    _ blocks: ArraySlice<Block>, _ bytes: [UInt8], from start: Int, _ lineEnding: String
  ) -> [UInt8] {
    var (kept, start): ([UInt8], Int) = ([], start)
    for block in blocks {
      kept += bytes[start..<block.range.lowerBound]
      start = block.range.upperBound
      // What has come behind the block meanwhile needs the line ending that was put before it.
      if block.isAfterUnended, start == bytes.count, kept.last == UInt8(ascii: "\n") {
        kept.removeLast()
        if kept.last == UInt8(ascii: "\r"), lineEnding == "\r\n" { kept.removeLast() }
      }
    }
    return kept + bytes[start...]
  }

  /// The lines of others that name one of these.
  public func foreignEntries(for names: [HostName]) -> [Entry] {
    Self.lines(of: bytes).enumerated().compactMap { number, line in
      guard !blocks.contains(where: { $0.range.contains(line.lowerBound) }) else { return nil }
      let text = Self.text(bytes[line])
      let fields = text.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }
      guard
        fields.dropFirst().contains(where: { field in HostName(String(field)).map(names.contains) ?? false })
      else { return nil }
      return Entry(line: number + 1, text: text)
    }
  }

  /// That of the block's first line, or else of the file's.
  private var lineEnding: String {
    guard let end = bytes[(blocks.first?.range.lowerBound ?? 0)...].firstIndex(of: UInt8(ascii: "\n")),
      end > 0,
      bytes[end - 1] == UInt8(ascii: "\r")
    else { return "\n" }
    return "\r\n"
  }

  /// Where the lines are, each with its ending.
  private static func lines(of bytes: [UInt8]) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
      lines.append(start..<end)
      start = end
    }
    return lines
  }

  /// A line without its ending and the white space around it.
  private static func text(_ line: ArraySlice<UInt8>) -> String {
    let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || (9...13).contains(byte) }
    let start = line.firstIndex { !isSpace($0) } ?? line.endIndex
    let end = line.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? line.endIndex
    return String(decoding: line[min(start, end)..<end], as: UTF8.self)
  }
}
