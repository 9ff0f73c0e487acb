import Testing

@testable import Understudy

@Suite("Rows of the catalogue")
struct CatalogueRowsTests {
  private func complaints(_ table: CatalogueTable, csv text: String) -> [String] {
    do throws(CatalogueRows.Mistakes) {
      _ = try CatalogueRows(table, csv: Array(text.utf8))
      return []
    } catch {
      return error.description.split(separator: "\n").map(String.init)
    }
  }

  private func complaints(_ table: CatalogueTable, json text: String) -> [String] {
    do throws(CatalogueRows.Mistakes) {
      _ = try CatalogueRows(table, json: Array(text.utf8))
      return []
    } catch {
      return error.description.split(separator: "\n").map(String.init)
    }
  }

  @Test("every mistake of a file is told, each with its line, in their order")
  func all() {
    let text = """
      county,id,name
      Dane,1,Good Park
      Dane,x,Bad Id
      Dane,2
      Dane,0,Nought
      Dane,1,Same Id

      Dane,3,
      Dane,9223372036854775808,Huge
      "two
      lines",4,"Tab\there"
      ,,
      Dane,-5,

      """
    #expect(
      complaints(.parks, csv: text) == [
        "line 3: the id is 'x': expected a whole number, 1 or more",
        "line 4: 2 fields where 3 are expected",
        "line 5: the id is '0': expected a whole number, 1 or more",
        "line 6: the id 1 is that of line 2 too",
        "line 8: the name is empty",
        "line 9: the id is '9223372036854775808': expected a whole number, 1 or more",
        "line 10: the name holds a control character",
        "line 10: the county holds a control character",
        "line 13: the id is '-5': expected a whole number, 1 or more",
        "line 13: the name is empty",
      ])
  }

  @Test("after fifty the others are counted")
  func limit() {
    let rows = (1...80).map { "\($0),,x\n" }.joined()
    let lines = complaints(.parks, csv: "id,name,county\n" + rows)
    #expect(lines.count == 51)
    #expect(lines.last == "and 30 more")
  }

  @Test(
    "the columns have to be the table's, in any order",
    arguments: [
      ("id,name\n1,a\n", ["line 1: there is no column 'county'"]),
      (
        "id,name,counyt\n1,a,b\n",
        [
          "line 1: there is no column 'county'",
          "line 1: there is no column 'counyt' in the table of parks: id, name, county are those that there are",
        ]
      ),
      ("id;name;county\n1;a;b\n", []), ("id\tName\t COUNTY \r1\ta\tb\r", []),
      ("", ["line 1: there is no line that names the columns"]),
      ("id,name,county\n", ["there are no parks"]), ("id,name,county\n,,\n", ["there are no parks"]),
      ("county,name,id\nb,a,1\n", []), ("\u{FEFF}id,name,county\r\n1,a,b\r\n", []),
    ])
  func columns(text: String, expected: [String]) {
    #expect(complaints(.parks, csv: text) == expected)
  }

  @Test("more rows than there may be are refused")
  func tooMany() throws {
    let rows = (1...10_001).map { "\($0),a,b\n" }
    let table = "id,name,county\n"
    #expect(complaints(.parks, csv: table + rows.dropLast().joined()) == [])
    #expect(complaints(.parks, csv: table + rows.joined()) == ["line 10002: more than 10000 rows"])
  }

  @Test(
    "a picture is a file's name, a URL or nothing",
    arguments: [
      ("garlic-mustard.png", true), ("Ä Ö.JPG", true), ("", true), ("https://example.org/a.png?b=c", true),
      ("http://[::1]:80/x", true), ("../garlic.png", false), ("a/b.png", false), ("a/\u{301}b.png", false),
      ("\u{5C}a.png", false), (".hidden.png", false), ("page.html", false), ("plain", false), ("png", false),
      ("ftp://a/b.png", false), ("javascript://a/b.png", false), ("https:///x.png", false),
      ("https://a b/x.png", false), ("https://a/x y.png", false), ("https://a/\"x.png", false),
      (String(repeating: "a", count: 196) + ".png", true),
      (String(repeating: "é", count: 100) + ".png", false),
      ("http://a/" + String(repeating: "b", count: 2000), false),
    ])
  func pictures(image: String, isTaken: Bool) {
    let json =
      #"[{"idspecies":1,"name":"a","image":"\#(image.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined())"}]"#
    #expect(complaints(.species, json: json).isEmpty == isTaken, "\(complaints(.species, json: json))")
  }

  @Test(
    "a text has a limit, and a name isn't white space",
    arguments: [
      (String(repeating: "é", count: 200), true), (String(repeating: "a", count: 201), false), (" ", false),
      ("\u{A0}", false), ("a\u{85}b", false),
    ])
  func texts(name: String, isTaken: Bool) {
    #expect(complaints(.parks, csv: "id,name,county\n1,\"\(name)\",x\n").isEmpty == isTaken)
  }

  @Test(
    "a list is read as the apps get it, and what isn't one is refused with the place",
    arguments: [
      (#"[{"idpark":1,"name":"a","county":"b"}]"#, []), (#" [ {"idpark":"7","name":"a","more":[1]} ] "#, []),
      ("\u{FEFF}[{\"idpark\":1,\"name\":\"a\",\"county\":null}]\n", []),
      ("[]", ["there are no parks"]),
      ("{}", ["not the list of parks that was expected; at byte 0: expected an array"]),
      ("", ["not the list of parks that was expected; at byte 0: expected an array"]),
      ("<html>", ["not the list of parks that was expected; at byte 0: expected an array"]),
      (
        "[1,{}]",
        [
          "park 1 of the list: a number where an object was expected",
          "park 2 of the list: 'idpark' is missing or null",
        ]
      ),
      (
        #"[{"idpark":1,"name":2},{"idpark":[],"name":"a"}]"#,
        [
          "park 1 of the list: 'name' is a number: a string is expected",
          "park 2 of the list: the id is an array: expected a whole number, 1 or more",
        ]
      ),
      (
        #"[{"idpark":1,"name":"a"},{"idpark":1,"name":"\u001b[2J"}]"#,
        [
          "park 2 of the list: the id 1 is that of park 1 of the list too",
          "park 2 of the list: the name holds a control character",
        ]
      ),
    ])
  func lists(text: String, expected: [String]) {
    #expect(complaints(.parks, json: text) == expected)
  }

  @Test("what a mistake quotes of a file speaks to no terminal")
  func printable() {
    let lines = complaints(
      .parks, csv: "id,name,county\n\u{1B}[2J\(String(repeating: "x", count: 100)),a,b\n")
    #expect(lines.count == 1)
    #expect(!lines[0].unicodeScalars.contains("\u{1B}"))
    #expect(lines[0].count < 150)
  }
}
