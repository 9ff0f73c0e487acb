import JSON
import Testing

@testable import Understudy

@Suite("CSV")
struct CSVTests {
  private func table(_ text: String, _ columns: [String]) throws -> [[String]] {
    try CSV(text).rows.map { row in try columns.map { try row.text($0) } }
  }

  @Test(
    "what RFC 4180 writes is read",
    arguments: [
      ("a,b\r\n1,2\r\n3,4\r\n", [["1", "2"], ["3", "4"]]), ("a,b\n1,2\n3,4", [["1", "2"], ["3", "4"]]),
      ("a,b\r\n1,2", [["1", "2"]]), ("a,b\n,\n", [["", ""]]), ("a,b\n1,\n,2\n", [["1", ""], ["", "2"]]),
      ("a,b\n\"1\",\"2\"\n", [["1", "2"]]), ("a,b\n\"1,5\",\"2\r\n3\"\n", [["1,5", "2\r\n3"]]),
      ("a,b\n\"x \"\"y\"\" z\",\"\"\"\"\n", [["x \"y\" z", "\""]]), ("a,b\n\"\",\"\"\n", [["", ""]]),
      ("a,b\n 1 , 2\n", [[" 1 ", " 2"]]), ("\u{FEFF}a,b\n1,2\n", [["1", "2"]]),
      ("\"a\",\"b\"\n1,2\n", [["1", "2"]]),
      ("b,c,a\n2,3,1\n", [["1", "2"]]), ("a,b\n", []), ("a,b", []),
      ("a,b\né,😀\u{2028}\n", [["é", "😀\u{2028}"]]),
      ("a,b\n1,2\r\n\r\n3,4\n\n", [["1", "2"], ["3", "4"]]),
      ("a,b\ne\u{301},\u{301}x\n", [["e\u{301}", "\u{301}x"]]),
    ])
  func read(text: String, expected: [[String]]) throws {
    let read = try table(text, ["a", "b"])
    #expect(read.map { $0.map { Array($0.utf8) } } == expected.map { $0.map { Array($0.utf8) } })
  }

  @Test(
    "what spreadsheets make of it elsewhere is read too",
    arguments: [
      ("a;b\r\n1,5;2\r\n", [["1,5", "2"]]), ("a\tb\n1,5\t2;3\n", [["1,5", "2;3"]]),
      ("\"a\";\"b\"\n\"1;2\";3\n", [["1;2", "3"]]), ("\"a\";b;\"c,d\"\n1;2;3\n", [["1", "2"]]),
      ("a,b;c,\"b\"\n1,2;3,4\n", [["1", "4"]]), ("a,b\r1,2\r\r3,4\r", [["1", "2"], ["3", "4"]]),
      ("\u{FEFF}\n\r\nA ; B\n1;2\n", [["1", "2"]]), ("a,B\n1,\"2\r3\"\r4,5", [["1", "2\r3"], ["4", "5"]]),
    ])
  func otherwise(text: String, expected: [[String]]) throws {
    #expect(try table(text, ["a", "b"]) == expected)
  }

  @Test(
    "what isn't CSV is told by what it is",
    arguments: [
      ([0xFF, 0xFE, 0x61, 0x00], "UTF-16"), ([0xFE, 0xFF, 0x00, 0x61], "UTF-16"),
      ([0x61, 0x00, 0x2C, 0x00], "UTF-16"), ([0x00, 0x61, 0x00, 0x2C], "UTF-16"),
      ([0x50, 0x4B, 0x03, 0x04, 0xFF], "a workbook"),
      ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], "a workbook"),
    ] as [([UInt8], String)])
  func otherKinds(bytes: [UInt8], reason: String) {
    let error = #expect(throws: CSV.Malformed.self) { try CSV(collectingMistakesIn: bytes) }
    #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
  }

  @Test("a quoted empty field is a row of a table with one column")
  func oneColumn() throws {
    #expect(try table("a\n1\n\"\"\n2\n", ["a"]) == [["1"], [""], ["2"]])
  }

  @Test(
    "a mistake is told with its line",
    arguments: [
      ("", 1), ("\u{FEFF}", 1), ("a,a\n1,2\n", 1), ("a,b\n1\n", 2), ("a,b\n1,2\n1,2,3\n", 3),
      ("a,b\n1,x\"y\"\n", 2),
      ("a,b\n1,\"x\"y\n", 2), ("a,b\n1,\"x\" \n", 2), ("a,b\n1,2\n3,\"4\n5\n", 3),
      ("a,b\n\"1\n2\n\",3\n4\n", 5),
      ("a,b\r\n1,2\r\n\r\n3\r\n", 4), ("a,b\n\"1\n\"\",\"x\n", 3), ("a,b\r1,2\r3\r", 3),
      ("a,b\r\"1\r2\",3\r4\r", 4), ("a,b\r\n\"1\r\n2\",3\r\n4\r\n", 4), ("a,A \n1,2\n", 1),
    ])
  func malformed(text: String, line: Int) {
    #expect {
      try CSV(text)
    } throws: { error in
      (error as? CSV.Malformed)?.line == line
    }
  }

  @Test("a row knows the line that it begins in, and its numbers")
  func rows() throws {
    let rows = try CSV("id,name\n1,\"a\nb\"\nx,c\n-9223372036854775808,d\n").rows
    #expect(rows.map(\.line) == [2, 4, 5])
    #expect(try rows[0].wholeNumber("id") == 1)
    #expect(try rows[2].wholeNumber("id") == .min)
    #expect { try rows[1].wholeNumber("id") } throws: { ($0 as? CSV.Malformed)?.line == 4 }
    #expect { try rows[0].text("county") } throws: {
      ($0 as? CSV.Malformed)?.reason.contains("county") == true
    }
  }

  @Test("all mistakes are told, up to where nobody knows any more where a row begins")
  func mistakes() throws {
    let text = "a,b\n1\n2,3\n\n4,5,6\n7,8\n9\"0,1\n2\n"
    let table = try CSV(collectingMistakesIn: Array(text.utf8))
    #expect(table.mistakes.map(\.line) == [2, 5, 7])
    #expect(table.rows.map(\.line) == [3, 6])
    #expect(table.columns == ["a", "b"])
  }

  @Test("what isn't UTF-8 is told with its line", arguments: [("a,b\n1,é\n", 2), ("é\n", 1)])
  func encoding(text: String, line: Int) throws {
    let latin1 = text.unicodeScalars.map { UInt8($0.value) }
    let error = #expect(throws: CSV.Malformed.self) { try CSV(collectingMistakesIn: latin1) }
    #expect(error?.line == line)
    #expect(error?.reason.contains("UTF-8") == true)
  }

  @Test("is written with quotes where they are needed, and CR LF")
  func written() {
    let buffer = ByteBuffer()
    buffer.append(csvRecord: ["1", "a b", "", "x,y", "say \"hi\"", "two\nlines", " space", "tail "])
    buffer.append(csvRecord: [""])
    #expect(
      buffer.text
        == "1,a b,,\"x,y\",\"say \"\"hi\"\"\",\"two\nlines\",\" space\",\"tail \"\r\n\"\"\r\n")
  }

  @Test(
    "what a spreadsheet would run gets an apostrophe, which reading takes away",
    arguments: [
      ("=1+1", "'=1+1"), ("+1 555", "'+1 555"), ("-5", "'-5"), ("@x", "'@x"), (" =1", "' =1"),
      ("\t=1", "'\t=1"), ("\rx", "'\rx"), ("\u{FF1D}1", "'\u{FF1D}1"), ("'=1", "''=1"),
      ("''=1", "'''=1"),
      ("' =1", "'' =1"), ("'tis", "'tis"), ("a=b", "a=b"), ("", ""), ("'", "'"), (" a", " a"),
    ])
  func formulas(text: String, defused: String) {
    #expect(Formula.defused(text) == defused)
    #expect(Array(Formula.restored(defused).utf8) == Array(text.utf8))
  }
}
