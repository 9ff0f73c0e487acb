import JSON
import Testing

/// The scalars of the string that `text` writes, or nil where it is refused.
private func scalars(_ written: String) -> [UInt32]? {
  guard case .string(let text, _)? = try? value(written) else { return nil }
  return text.unicodeScalars.map(\.value)
}

@Suite("Strings, as the JSON reader reads them")
struct StringReadingTests {
  @Test(
    "each escape stands for its scalar",
    arguments: [
      (#""\"\\\/\b\f\n\r\t""#, [0x22, 0x5C, 0x2F, 8, 12, 10, 13, 9]), (#""\u0000""#, [0]),
      (#""\u00e9\u00E9""#, [0xE9, 0xE9]), (#""\u2028""#, [0x2028]), (#""\uFFFF""#, [0xFFFF]),
      (#""\uD83D\uDE00""#, [0x1F600]), (#""\ud800\udc00""#, [0x10000]), (#""\uDBFF\uDFFF""#, [0x10FFFF]),
      (#""a\u0041b""#, [0x61, 0x41, 0x62]), (#""\\u0041""#, [0x5C, 0x75, 0x30, 0x30, 0x34, 0x31]),
      (#""\u00410""#, [0x41, 0x30]), (#""""#, []),
    ] as [(String, [UInt32])])
  func escapes(written: String, expected: [UInt32]) {
    #expect(scalars(written) == expected)
  }

  @Test("text is kept scalar for scalar, never normalized")
  func verbatim() {
    #expect(
      scalars("\"e\u{301}\u{E9}\u{202E}\u{2028}👩‍👩‍👧\"") == [
        0x65, 0x301, 0xE9, 0x202E, 0x2028, 0x1F469, 0x200D, 0x1F469, 0x200D, 0x1F467,
      ])
  }

  @Test(
    "half a surrogate pair is refused",
    arguments: [
      #""\uD800""#, #""\uDC00""#, #""\uDFFF""#, #""\uD83D x""#, #""\uD83Dx""#, #""\uD83D\n""#,
      #""\uD83D\u0041""#,
      #""\uD83D\uD83D""#, #""\uD83D\uD83D\uDE00""#, #""\uDE00\uD83D""#, #""\uD83D\uDE0""#, #""\uD83D\""#,
    ])
  func loneSurrogates(written: String) {
    #expect(scalars(written) == nil)
    // In a value that is checked and not read, and in a name, too.
    #expect(throws: JSONError.self) { try value("[\(written)]") }
    #expect(throws: JSONError.self) { try value("{\(written):1}") }
  }

  @Test(
    "bytes that aren't UTF-8 are refused",
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xC2, 0xC2], [0xE0, 0x80, 0x80],
      [0xE0, 0x9F, 0xBF], [0xE1, 0x80], [0xE1, 0x80, 0x41], [0xE1, 0x41, 0x80], [0xED, 0xA0, 0x80],
      [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF1, 0x80, 0x80],
      [0xF1, 0x80, 0x80, 0x41], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
      [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0x61, 0xFF],
    ] as [[UInt8]])
  func invalidUTF8(bytes: [UInt8]) {
    for (before, after) in [(#"{"v":""#, #""}"#), (#"{"v":[""#, #""]}"#), (#"{""#, #"":1}"#)] {
      let document = Array(before.utf8) + bytes + Array(after.utf8)
      #expect(throws: JSONError.self) { try JSONReader.object(in: document) }
    }
  }

  @Test(
    "each end of what UTF-8 can write is taken",
    arguments: [
      0x20, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x3FFFF,
      0x40000,
      0xFFFFF, 0x100000, 0x10FFFF,
    ] as [UInt32])
  func validUTF8(scalar: UInt32) throws {
    let character = Character(try #require(UnicodeScalar(scalar)))
    #expect(scalars("\"\(character)\"") == [scalar])
  }

  @Test("text beside an escape is kept whole")
  func mixed() {
    #expect(scalars(#""é\n😀\"ü""#) == [0xE9, 10, 0x1F600, 0x22, 0xFC])
  }
}
