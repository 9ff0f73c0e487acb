import Testing

@testable import HTTP

@Suite("The request target")
struct RequestTargetTests {
  private func segments(_ target: borrowing RequestTarget) -> [String] {
    (0..<target.segmentCount).map { String(decoding: target.segment($0), as: UTF8.self) }
  }

  @Test(
    "the path is split first and decoded then",
    arguments: [
      ("/", []), ("/a", ["a"]), ("/a/b/c", ["a", "b", "c"]), ("/a/", ["a"]), ("/a/b/", ["a", "b"]),
      ("/a%2Fb/c", ["a/b", "c"]), ("/a%2fb%2F", ["a/b/"]), ("/%61%C3%A9", ["aé"]), ("/a+b", ["a+b"]),
      ("/%zz/%4/%", ["%zz", "%4", "%"]), ("/%25%32%46", ["%2F"]), ("/a?b/c", ["a"]), ("/a/?/b", ["a"]),
      ("/a%3Fb", ["a?b"]), ("/...", ["..."]), ("/.a", [".a"]), ("/a..", ["a.."]), ("/a;b=c", ["a;b=c"]),
      ("/A/a", ["A", "a"]), ("/..%2F", ["../"]), ("http://host/a/b%2Fc", ["a", "b/c"]), ("http://host", []),
      ("http://host/", []), ("HTTP://host/a", ["a"]), ("https://host:8080/a/?x=/", ["a"]),
      ("http://host?x=/a", []),
    ])
  func path(raw: String, expected: [String]) {
    let target = RequestTarget(Array(raw.utf8))
    let (found, isPlain) = (segments(target), target.isPlain)
    #expect(found == expected)
    #expect(isPlain)
  }

  @Test(
    "a path with an empty segment, a dot segment or a NUL names nothing",
    arguments: [
      "//", "//a", "/a//b", "/a//", "///", "/.", "/..", "/a/./b", "/a/../b", "/a/..", "/a/../", "/%2e",
      "/%2e%2E",
      "/.%2e/", "/%00", "/a%00b", "/a/b%00", "http://host//", "http://host/../a",
    ])
  func notPlain(raw: String) {
    let isPlain = RequestTarget(Array(raw.utf8)).isPlain
    #expect(!isPlain)
  }

  @Test("bytes that aren't UTF-8 stay bytes")
  func bytes() {
    let escaped = Array(RequestTarget(Array("/%FF%C3".utf8)).segment(0))
    #expect(escaped == [0xFF, 0xC3])
    let asTheyAre = Array(RequestTarget([0x2F, 0xFE]).segment(0))
    #expect(asTheyAre == [0xFE])
  }

  @Test(
    "each form is told from the others",
    arguments: [
      ("/", "origin"), ("/a?b", "origin"), ("//host/a", "origin"), ("*", "asterisk"), ("http://host", "host"),
      ("http://host:80/a", "host:80"), ("HtTpS://[::1]:8080?x", "[::1]:8080"), ("http:///a", ""),
      ("http://a@b/c", "a@b"), ("", "invalid"), ("a", "invalid"), ("a/b", "invalid"), ("?a", "invalid"),
      ("*?a", "invalid"), ("**", "invalid"), ("host:80", "invalid"), ("ftp://host/", "invalid"),
      ("http:/host", "invalid"), ("http:", "invalid"), (" /", "invalid"), ("\\a", "invalid"),
      ("http\u{1A}\u{F}\u{F}host/", "invalid"),
    ])
  func forms(raw: String, expected: String) {
    let target = RequestTarget(Array(raw.utf8))
    let form =
      switch target.form {
      case .origin: "origin"
      case .asterisk: "asterisk"
      case .invalid: "invalid"
      case .absolute(let authority): String(decoding: target.raw[authority], as: UTF8.self)
      }
    #expect(form == expected)
  }
}

@Suite("The query")
struct QueryTests {
  private func pairs(_ raw: String, plusIsSpace: Bool = false) -> [[String]] {
    RequestTarget(Array(raw.utf8)).query(plusIsSpace: plusIsSpace).pairs.map { name, value in
      [String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)]
    }
  }

  @Test(
    "'&' splits pairs, the first '=' a name from its value, before anything is decoded",
    arguments: [
      ("/", []), ("/?", []), ("/?a", [["a", ""]]), ("/?a=", [["a", ""]]), ("/?=a", [["", "a"]]),
      ("/?a=1&b=2", [["a", "1"], ["b", "2"]]), ("/?a=1&&b=2&", [["a", "1"], ["b", "2"]]),
      ("/?a=b=c", [["a", "b=c"]]), ("/?a=b;c=d", [["a", "b;c=d"]]),
      ("/?a=%26b%3D1&c", [["a", "&b=1"], ["c", ""]]),
      ("/?%61%3D=b", [["a=", "b"]]), ("/?a=?b", [["a", "?b"]]), ("/?a=%zz%4%", [["a", "%zz%4%"]]),
      ("/?a=%%41", [["a", "%A"]]), ("/?a=%C3%A9", [["a", "é"]]), ("/?a=é", [["a", "é"]]),
      ("/?a=/b", [["a", "/b"]]),
      ("/?a=%00", [["a", "\u{0}"]]), ("http://host?a=1", [["a", "1"]]), ("/?a=x#y", [["a", "x#y"]]),
    ])
  func pairs(raw: String, expected: [[String]]) {
    #expect(pairs(raw) == expected)
  }

  @Test("a plus sign has two readings, an escaped one and an escaped space have one")
  func plus() {
    #expect(pairs("/?a+b=c+d%2B%20") == [["a+b", "c+d+ "]])
    #expect(pairs("/?a+b=c+d%2B%20", plusIsSpace: true) == [["a b", "c d+ "]])
    let havePlus = ["/?a=+", "/a+b?a=%2B", "/a+b"].map { RequestTarget(Array($0.utf8)).queryHasPlus }
    #expect(havePlus == [true, false, false])
  }

  @Test("of repeated parameters the first counts, however it is written")
  func repeated() throws {
    let query = RequestTarget(Array("/?b=0&%61=1&a=2".utf8)).query()
    #expect(try query.text("a") == "1")
    #expect(query.bytes("a") == [0x31])
    #expect(try query.text("A") == nil)
  }

  @Test("text that isn't UTF-8 is 400")
  func notUTF8() throws {
    let query = RequestTarget(Array("/?a=%FF&b=%ED%A0%80&c=%C3%A9".utf8)).query()
    #expect { try query.text("a") } throws: { ($0 as? Problem)?.status == .badRequest }
    #expect { try query.text("b") } throws: { ($0 as? Problem)?.status == .badRequest }
    #expect(try query.text("c") == "é")
    #expect(query.bytes("a") == [0xFF])
  }

  @Test(
    "everything but unreserved characters is escaped, and comes back",
    arguments: [
      ("", ""), ("aZ09-._~", "aZ09-._~"), ("a b+c", "a%20b%2Bc"), ("/?&=#%", "%2F%3F%26%3D%23%25"),
      ("é😀", "%C3%A9%F0%9F%98%80"),
      ("\u{0}\n", "%00%0A"), ("\"<>'", "%22%3C%3E%27"),
    ])
  func encoding(text: String, expected: String) {
    #expect(text.percentEncoded == expected)
    var decoded: [UInt8] = []
    PercentEncoding.decode(Array(expected.utf8), plusIsSpace: true, into: &decoded)
    #expect(decoded == Array(text.utf8))
  }
}
