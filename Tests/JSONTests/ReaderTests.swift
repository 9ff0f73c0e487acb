import JSON
import Testing

/// Reads a document that has one member, `v`.
func value(_ text: String) throws -> JSONValue? {
  try JSONReader.object(in: Array(#"{"v":\#(text)}"#.utf8)).members.first?.value
}

func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

@Suite("The JSON reader")
struct ReaderTests {
  @Test(
    "every shape of value is taken and keeps its text",
    arguments: [
      ("true", "true or false"), ("false", "true or false"), ("null", "null"), ("0", "a number"),
      ("-0", "a number"), ("10", "a number"), ("1.10", "a number"), ("0.0", "a number"),
      ("1e5", "a number"), ("1E+05", "a number"), ("-12.50e-003", "a number"),
      ("123456789012345678901234567890", "a number"), (#""""#, "a string"), (#""a b""#, "a string"),
      (#""\u0041\/""#, "a string"), ("\"\u{7F}\"", "a string"), ("\"\u{2028}😀\"", "a string"),
      ("[]", "an array"), ("[ 1 , [ ] , {} ]", "an array"), ("{}", "an object"),
      (#"{ "a" : { "b" : [ null ] } }"#, "an object"),
    ])
  func shapes(written: String, kind: String) throws {
    let value = try #require(try value(written))
    #expect(value.kind == kind)
    #expect(text(value.raw) == written)
  }

  @Test(
    "what isn't JSON is refused",
    arguments: [
      "", "01", "-01", "1.", ".5", "-", "+1", "1e", "1e+", "1.e5", "0x10", "NaN", "Infinity", "- 1", "1 2",
      "tru", "True", "nul", "nulll", "falsee", "undefined", "'a'", "\"", #""\""#, #""\x41""#, #""\u12""#,
      #""\u12g4""#, #""\U0041""#, "\"\t\"", "\"\n\"", "\"\u{0}\"", "\"\u{1F}\"", "[1,]", "[,1]", "[1 2]", "[",
      "[1", "]", "{", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,"a":1}"#, "{a:1}", "{1:1}", #"{"a":1 "b":2}"#,
      #"{"a":1]"#, "[1}", "1,", "/**/1", "1//", "\u{A0}1", "\u{B}1", "\u{FEFF}1",
    ])
  func refused(written: String) {
    #expect(throws: JSONError.self) { try value(written) }
  }

  @Test(
    "only an object is taken, alone but for white space",
    arguments: [
      ("{}", true), (" \t\r\n{}\n\r\t ", true), ("[]", false), ("1", false), (#""a""#, false),
      ("null", false),
      ("", false), (" ", false), ("{}{}", false), ("{}x", false), ("{},", false), ("{}\u{0}", false),
      ("\u{0}{}", false), ("x{}", false),
    ])
  func documents(written: String, isTaken: Bool) {
    let object = try? JSONReader.object(in: Array(written.utf8))
    #expect((object != nil) == isTaken)
  }

  @Test("a byte order mark before the document is skipped, one alone or twice is not")
  func byteOrderMark() throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    #expect(try JSONReader.object(in: mark + Array(#" {"a":1}"#.utf8)).members.count == 1)
    #expect(throws: JSONError.self) { try JSONReader.object(in: mark) }
    #expect(throws: JSONError.self) { try JSONReader.object(in: mark + mark + Array("{}".utf8)) }
    #expect(throws: JSONError.self) { try JSONReader.object(in: Array(mark.prefix(2)) + Array("{}".utf8)) }
  }

  @Test("64 levels are read, the 65th is refused", arguments: [("[", "]"), (#"{"a":"#, "}")])
  func depth(open: String, close: String) throws {
    func nested(_ levels: Int) -> String {
      // The document's own object is the first level.
      String(repeating: open, count: levels - 2) + "[]" + String(repeating: close, count: levels - 2)
    }
    #expect(try value(nested(64)) != nil)
    #expect(throws: JSONError.self) { try value(nested(65)) }
    #expect(throws: JSONError.self) { try value(String(repeating: open, count: 1_000_000)) }
    // Beside each other they are as many as there is room for.
    #expect(try value("[" + String(repeating: "[],", count: 1000) + "[]]") != nil)
  }

  @Test("a document cut off anywhere is refused")
  func truncated() {
    let document = Array(
      #"{"a":"é😀\n\u00e9\ud83d\ude00","b":[1.5e-3,true,false,null,{"c":[]}],"d":-12,"e":{"f":""}}"#.utf8)
    #expect((try? JSONReader.object(in: document)) != nil)
    for length in 0..<document.count {
      #expect(throws: JSONError.self, "cut to \(length) bytes") {
        try JSONReader.object(in: Array(document[..<length]))
      }
    }
  }

  @Test("behind a prefix of a document no byte but a closing brace makes it whole")
  func anyByte() {
    let document = Array(#"{"a":"\u00e9\n","b":[1.5e-3,true,{"c":null}]}"#.utf8)
    for length in 0..<document.count {
      for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: "}") {
        #expect((try? JSONReader.object(in: document[..<length] + [byte])) == nil)
      }
    }
  }

  @Test(
    "a mistake is pointed at",
    arguments: [
      (#"{"a":1,}"#, 7), (#"{"a" 1}"#, 5), (#"{"a":x}"#, 5), (#"{"a":1}x"#, 7), ("  [1]", 2),
      (#"{"a":01}"#, 6),
      (#"{"a":"\q"}"#, 7), (#"{"a":-}"#, 6),
    ])
  func offsets(written: String, offset: Int) {
    #expect { try JSONReader.object(in: Array(written.utf8)) } throws: { error in
      (error as? JSONError)?.offset == offset
    }
  }

  @Test("the elements of an array are read one by one, and what isn't one is refused")
  func elements() throws {
    func read(_ text: String) throws -> [JSONValue] { try JSONReader.elements(of: Array(text.utf8)[...]) }
    #expect(try read("[]").isEmpty)
    #expect(try read("[ ]").isEmpty)
    #expect(
      try read(#"[ 1 , "a",[2,[3]], {"b":[4]} ,null]"#).map { text($0.raw) } == [
        "1", #""a""#, "[2,[3]]", #"{"b":[4]}"#, "null",
      ])
    #expect(try read("\u{FEFF} [1] \n").count == 1)
    for wrong in ["", "[", "[1", "[1,]", "[1]x", "{}", "1", "[1 2]"] {
      #expect(throws: JSONError.self, "\(wrong)") { try read(wrong) }
    }
  }
}
