import JSON
import Testing

@Suite("Members of a JSON object")
struct MemberTests {
  private func object(_ text: String) throws -> JSONObject {
    try JSONReader.object(in: Array(text.utf8))
  }

  @Test("members stay in the order in which they came, names and values as they were written")
  func order() throws {
    let object = try object(#"{"z": 1.10, "\u0061" : [1, 2] ,"m":"\/","":null}"#)
    #expect(object.members.map(\.name) == ["z", "a", "m", ""])
    #expect(object.members.map { text($0.rawName) } == [#""z""#, #""\u0061""#, #""m""#, #""""#])
    #expect(object.members.map { text($0.value.raw) } == ["1.10", "[1, 2]", #""\/""#, "null"])
  }

  @Test(
    "of members of one name the last value stands in the first one's place", arguments: [0, 13, 14, 15, 40])
  func duplicates(others: Int) throws {
    let more = (0..<others).map { #","m\#($0)":\#($0)"# }.joined()
    let object = try object(#"{"a":1,"b":2\#(more),"\u0061":3,"b":null}"#)
    #expect(object.members.map(\.name) == ["a", "b"] + (0..<others).map { "m\($0)" })
    #expect(object["a"]?.wholeNumber == 3)
    #expect(text(object.members[0].rawName) == #""\u0061""#)
    #expect(object["b"] == nil, "null counts as missing, and it came last")
    #expect(text(object.members[1].value.raw) == "null")
  }

  @Test("names are compared byte for byte: canonical equivalents are two members", arguments: [0, 30])
  func equivalents(others: Int) throws {
    let more = (0..<others).map { #","m\#($0)":\#($0)"# }.joined()
    let object = try object("{\"\u{E9}\":1,\"e\u{301}\":2\(more)}")
    #expect(object.members.count == 2 + others)
    #expect(object["\u{E9}"]?.wholeNumber == 1)
    #expect(object["e\u{301}"]?.wholeNumber == 2)
    #expect(object["e"] == nil)
  }

  @Test("null counts as missing")
  func null() throws {
    let object = try object(#"{"a":null,"b":false}"#)
    #expect(object["a"] == nil)
    #expect(object["b"]?.kind == "true or false")
    #expect(object["c"] == nil)
  }

  @Test("an object of very many members is read in time that grows with it")
  func many() throws {
    // Comparing each name with all others would take minutes.
    let count = 60_000
    let object = try object("{" + (0..<count).map { #""\#($0)":\#($0)"# }.joined(separator: ",") + "}")
    #expect(object.members.count == count)
    #expect(object.members.last?.value.wholeNumber == Int64(count - 1))
  }
}
