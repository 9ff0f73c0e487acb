import Certificates
import TestSupport
import Testing

@testable import Understudy

@Suite("A hosts file")
struct HostsFileTests {
  private static let names = [HostName("cmsc106.net")!]
  private static let block =
    "# understudy: begin\n127.0.0.1 cmsc106.net\n::1 cmsc106.net\n# understudy: end\n"

  private func file(_ text: String) throws -> HostsFile { try HostsFile(Array(text.utf8)) }

  private func pointing(_ text: String) throws -> String {
    String(decoding: try file(text).pointing(Self.names), as: UTF8.self)
  }

  @Test(
    "gets the lines at its end, in its own line endings",
    arguments: [
      ("", block), ("127.0.0.1 localhost\n", "127.0.0.1 localhost\n" + block),
      ("127.0.0.1 localhost\r\n", "127.0.0.1 localhost\r\n" + block.replacing("\n", with: "\r\n")),
      (
        "127.0.0.1 localhost",
        "127.0.0.1 localhost\n"
          + block.replacing("begin\n", with: "begin (the line before had no end)\n")
      ),
    ])
  func placement(before: String, after: String) throws {
    #expect(try pointing(before) == after)
    #expect(try pointing(after) == after)
  }

  @Test("keeps the place of its lines when the names change")
  func change() throws {
    let names = ["one.example", "two.example"].compactMap { HostName($0) }
    let changed = try file("a\n" + Self.block + "b").pointing(names)
    #expect(
      String(decoding: changed, as: UTF8.self) == """
        a
        # understudy: begin
        127.0.0.1 one.example
        ::1 one.example
        127.0.0.1 two.example
        ::1 two.example
        # understudy: end
        b
        """)
  }

  @Test("is the same byte for byte when the lines have come and gone")
  func roundTrip() throws {
    var generator = SeededGenerator(seed: 5)
    let pieces: [[UInt8]] =
      ["\n", "\r\n", "\r", " ", "#", "127.0.0.1 localhost", "::1 localhost", "10.0.0.1 a.example # b"]
      .map { Array($0.utf8) } + [[0], [0xFF], [0xEF, 0xBB, 0xBF]]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...8, using: &generator)).flatMap { _ in
        pieces.randomElement(using: &generator)!
      }
      let pointing = try HostsFile(bytes).pointing(Self.names)
      #expect(pointing.starts(with: bytes))
      let removed = try HostsFile(pointing).withoutBlock
      #expect(removed == bytes)
      #expect(try HostsFile(bytes).withoutBlock == bytes)
      // What has come meanwhile stays too, in a line of its own.
      let longer = pointing + Array("10.0.0.2 later\n".utf8)
      let rest = try HostsFile(longer).withoutBlock
      #expect(rest.starts(with: bytes) && rest.suffix(15).elementsEqual("10.0.0.2 later\n".utf8))
      if let last = bytes.last, last != UInt8(ascii: "\n") {
        #expect(rest.dropFirst(bytes.count).first.map { $0 == 10 || $0 == 13 } == true)
      }
    }
  }

  @Test(
    "with markers that don't belong together is nobody's to change",
    arguments: [
      ("# understudy: begin\n127.0.0.1 x\n", 1), ("a\n# understudy: end\n", 2),
      ("# understudy: begin\n# understudy: begin\n# understudy: end\n", 2),
      (block + "# understudy: end\n", 5),
    ])
  func damage(text: String, line: Int) {
    #expect(throws: HostsFile.Damage(line: line)) { try file(text) }
  }

  @Test("with several whole blocks, as of files that were put together, has one again, or none")
  func severalBlocks() throws {
    let text =
      "a\n" + Self.block + "b\n" + Self.block.replacing("cmsc106.net", with: "old.example")
      + "::1 old.example\n"
    #expect(try pointing(text) == "a\n" + Self.block + "b\n::1 old.example\n")
    #expect(try String(decoding: file(text).withoutBlock, as: UTF8.self) == "a\nb\n::1 old.example\n")
    let names = [try #require(HostName("old.example"))]
    #expect(try file(text).foreignEntries(for: names).map(\.line) == [11])
  }

  @Test("says which lines of others are about a name")
  func foreign() throws {
    let text = """
      # 10.0.0.1 cmsc106.net
      10.0.0.2\tother  CMSC106.NET # moved
      10.0.0.3 xcmsc106.net cmsc106.net.example
      10.0.0.4 other # cmsc106.net
      \(Self.block)::1 cmsc106.net
      """
    #expect(
      try file(text).foreignEntries(for: Self.names) == [
        .init(line: 2, text: "10.0.0.2\tother  CMSC106.NET # moved"), .init(line: 9, text: "::1 cmsc106.net"),
      ])
  }
}
