import Testing

@testable import HTTP

@Suite("Entity tags")
struct ETagTests {
  private func matches(_ tag: ETag, _ list: String) -> Bool {
    Array(list.utf8).withUnsafeBytes { tag.matches($0) }
  }

  private func tag(_ text: String) -> ETag {
    Array(text.utf8).withUnsafeBytes { ETag(of: $0) }
  }

  @Test("the same bytes have the same tag, others another, in the form of RFC 9110")
  func tags() {
    #expect(tag("a") == tag("a"))
    #expect(tag("a") != tag("b"))
    #expect(tag("") != tag("\u{0}"))
    #expect(tag("") == ETag(of: UnsafeRawBufferPointer(start: nil, count: 0)))
    #expect(tag("a").text.wholeMatch(of: /"[0-9a-f]{32}"/) != nil)
    #expect(ETag(version: "1") != ETag(version: "2"))
  }

  @Test(
    "If-None-Match names it alone, in a list, weakly, or with a star",
    arguments: ["T", "W/T", "*", #""a", T"#, #"T,"a""#, #""a" , W/T , "b""#, "\t T ", #""","W/", T"#])
  func match(list: String) {
    let tag = tag("body")
    #expect(matches(tag, list.replacing("T", with: tag.text)))
  }

  @Test(
    "anything else doesn't",
    arguments: [
      "", " ", ",", #""a""#, "t", "w/T", "W/ T", #""T""#, "TT", #"T"a""#, "**", #""*""#, "W/*", #"W/"a""#,
    ])
  func noMatch(list: String) {
    let tag = tag("body")
    let bare = tag.text.dropFirst().dropLast()
    #expect(!matches(tag, list.replacing("T", with: tag.text).replacing("t", with: bare)))
  }
}
