extension Table {
  /// "Bodies are read as JSON whatever their Content-Type, with or without a byte order mark …"
  static let bodies: [Case] = [
    Case("POST /invasive/observations", sighting(), gives: 200, .id),
    Case("POST /invasive/observations", sighting(), with: ["Content-Type: text/plain"], gives: 200, .id),
    Case(
      "POST /invasive/observations", sighting(),
      with: ["Content-Type: application/x-www-form-urlencoded"], gives: 200, .id),
    Case(
      "POST /invasive/observations", sighting(), with: ["Content-Type: multipart/form-data; boundary=x"],
      gives: 200, .id),
    Case(
      "POST /invasive/observations", sighting(), with: ["Content-Type: application/json; charset=UTF-16"],
      gives: 200, .id),
    Case("POST /invasive/observations", sighting(), with: ["Content-Type: %%"], gives: 200, .id),
    Case("POST /invasive/observations", "‹EF BB BF›" + sighting(), gives: 200, .id),
    Case("POST /invasive/observations", "‹EF BB BF EF BB BF›" + sighting(), gives: 400),
    Case("POST /directory/people/{scratch}", "‹FF FE 7B 00 7D 00›", gives: 400),
    // "Anything but white space after the document is 400."
    Case("POST /invasive/observations", " \t\r\n" + sighting() + "\r\n\t ", gives: 200, .id),
    Case("POST /invasive/observations", sighting() + "x", gives: 400),
    Case("POST /directory/people/{scratch}", "{}{}", gives: 400),
    Case("POST /directory/people/{scratch}", "{},", gives: 400),
    Case("POST /directory/people/{scratch}", "{}‹00›", gives: 400),
    Case("POST /directory/people/{scratch}", "{}‹C2 A0›", gives: 400),
    // Not JSON.
    Case("POST /directory/people/{scratch}", "", gives: 400, mentions: "empty"),
    Case("POST /directory/people/{scratch}", gives: 400, mentions: "empty"),
    Case("POST /directory/people/{scratch}", " ", gives: 400),
    Case("POST /directory/people/{scratch}", "{", gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a":1"#, gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a":1,}"#, gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a" 1}"#, gives: 400),
    Case("POST /directory/people/{scratch}", #"{a:1}"#, gives: 400),
    Case("POST /directory/people/{scratch}", #"{'a':1}"#, gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a":[1,]}"#, gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a":01}"#, gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a":+1}"#, gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a":.5}"#, gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a":1.}"#, gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a":1e}"#, gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a":NaN}"#, gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a":nul}"#, gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a":True}"#, gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a":"\x41"}"#, gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a":"\u12"}"#, gives: 400),
    Case("POST /directory/people/{scratch}", "{\"a\":\"\n\"}", gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a":1} // one"#, gives: 400),
    // JSON, but no object.
    Case("POST /directory/people/{scratch}", "[]", gives: 400, mentions: "object"),
    Case("POST /directory/people/{scratch}", "null", gives: 400, mentions: "object"),
    Case("POST /directory/people/{scratch}", #""{}""#, gives: 400, mentions: "object"),
    Case("POST /invasive/observations", "[\(sighting())]", gives: 400, mentions: "object"),
    // "Nesting beyond 64 is 400": the object and what is in it.
    Case("POST /directory/people/{scratch}", nested(64), gives: 200, .id),
    Case("POST /directory/people/{scratch}", nested(65), gives: 400, mentions: "64"),
    Case("POST /directory/people/{scratch}", nested(50_000), gives: 400, mentions: "64"),
    Case("POST /invasive/observations", sighting(more: #","a":\#(nested(64))"#), gives: 400),
    // "Invalid UTF-8 or a lone surrogate is 400."
    Case("POST /invasive/observations", sighting(comment: #""‹FF›""#), gives: 400),
    Case("POST /invasive/observations", sighting(comment: #""‹C0 80›""#), gives: 400),
    Case("POST /invasive/observations", sighting(comment: #""‹C3›""#), gives: 400),
    Case("POST /invasive/observations", sighting(comment: #""‹ED A0 80›""#), gives: 400),
    Case("POST /invasive/observations", sighting(comment: #""‹F4 90 80 80›""#), gives: 400),
    Case("POST /invasive/observations", sighting(comment: #""\ud800""#), gives: 400),
    Case("POST /invasive/observations", sighting(comment: #""\udc00""#), gives: 400),
    Case("POST /invasive/observations", sighting(comment: #""\ud83d\u0041""#), gives: 400),
    Case("POST /invasive/observations", sighting(comment: #""\ude00\ud83d""#), gives: 400),
    Case("POST /invasive/observations", sighting(comment: #""\ud83d\ude00""#), gives: 200, .id),
    Case("POST /invasive/observations", sighting(more: #","x":"\ud800""#), gives: 400),
    Case("POST /invasive/observations", sighting(more: #","‹FF›":1"#), gives: 400),
    Case("POST /directory/people/{scratch}", #"{"a":[{"b":"\udfff"}]}"#, gives: 400),
    // "Unknown members are ignored. Null counts as missing. Duplicate members: the last one wins."
    Case(
      "POST /invasive/observations", sighting(more: #","idobservation":5,"x":{"y":[null]}"#), gives: 200, .id),
    Case("POST /invasive/observations", sighting(park: "null"), gives: 400, mentions: "park"),
    Case("POST /invasive/observations", sighting(comment: "null"), gives: 400, mentions: "comment"),
    Case("POST /invasive/observations", sighting(park: "999", more: #","park":1"#), gives: 200, .id),
    Case("POST /invasive/observations", sighting(more: #","park":999"#), gives: 422, mentions: "park 999"),
    Case("POST /invasive/observations", sighting(more: #","park":null"#), gives: 400, mentions: "park"),
    Case(
      "POST /invasive/observations", sighting(more: #","p\u0061rk":998"#), gives: 422, mentions: "park 998"),
    Case(
      "POST /invasive/users", #"{"username":"x","username":"twice","password":"p"}"#, gives: 200,
      .contains(#""username":"twice","#)),
    Case(
      "POST /invasive/users", #"{"username":"bodies-1","password":"p","realname":null,"phone":null}"#,
      gives: 200, .contains(#""realname":"","phone":""}"#)),
  ]

  /// "A whole number is any JSON number of integral value within 64 bits, or a string matching
  /// -?[0-9]+; otherwise 400."
  static let numbers: [Case] = [
    Case("POST /invasive/observations", sighting(park: "1.0"), gives: 200, .id),
    Case("POST /invasive/observations", sighting(park: "1e0"), gives: 200, .id),
    Case("POST /invasive/observations", sighting(park: "1E+1"), gives: 200, .id),
    Case("POST /invasive/observations", sighting(park: "0.1e1"), gives: 200, .id),
    Case("POST /invasive/observations", sighting(park: "10e-1"), gives: 200, .id),
    Case("POST /invasive/observations", sighting(park: "2.000000000000000000000000"), gives: 200, .id),
    Case("POST /invasive/observations", sighting(park: #""7""#), gives: 200, .id),
    Case("POST /invasive/observations", sighting(user: #""{user}""#), gives: 200, .id),
    Case("POST /invasive/observations", sighting(species: #""0007""#), gives: 200, .id),
    Case("POST /invasive/observations", sighting(park: "9223372036854775807"), gives: 422, mentions: "park"),
    Case("POST /invasive/observations", sighting(park: "-9223372036854775808"), gives: 422, mentions: "park"),
    Case("POST /invasive/observations", sighting(park: #""-1""#), gives: 422, mentions: "park -1"),
    Case("POST /invasive/observations", sighting(park: "9.223372036854775807e18"), gives: 422),
    Case("POST /invasive/observations", sighting(park: "9223372036854775808"), gives: 400, mentions: "park"),
    Case("POST /invasive/observations", sighting(park: "-9223372036854775809"), gives: 400, mentions: "park"),
    Case("POST /invasive/observations", sighting(park: #""9223372036854775808""#), gives: 400),
    Case("POST /invasive/observations", sighting(park: "18446744073709551617"), gives: 400, mentions: "park"),
    Case("POST /invasive/observations", sighting(park: "1e400"), gives: 400, mentions: "park"),
    Case("POST /invasive/observations", sighting(park: "1e99999999999999999999"), gives: 400),
    Case("POST /invasive/observations", sighting(park: "1.5"), gives: 400, mentions: "park"),
    Case("POST /invasive/observations", sighting(park: "1e-1"), gives: 400, mentions: "park"),
    Case("POST /invasive/observations", sighting(park: "1.00000000000000000001"), gives: 400),
    Case("POST /invasive/observations", sighting(park: #""1.0""#), gives: 400, mentions: "park"),
    Case("POST /invasive/observations", sighting(park: #""+1""#), gives: 400, mentions: "park"),
    Case("POST /invasive/observations", sighting(park: #"" 1""#), gives: 400, mentions: "park"),
    Case("POST /invasive/observations", sighting(park: #""٣""#), gives: 400, mentions: "park"),
    Case("POST /invasive/observations", sighting(park: #""-""#), gives: 400, mentions: "park"),
    Case("POST /invasive/observations", sighting(park: #""""#), gives: 400, mentions: "park"),
    Case("POST /invasive/observations", sighting(park: "true"), gives: 400, mentions: "park"),
    Case("POST /invasive/observations", sighting(park: "[1]"), gives: 400, mentions: "park"),
  ]

  /// An object in which arrays are nested, so many containers deep.
  private static func nested(_ depth: Int) -> String {
    #"{"a":\#("[".times(depth - 1))\#("]".times(depth - 1))}"#
  }

  /// "Limits (Unicode scalars; 422 past them)."
  static let limits: [Case] = [
    Case("POST /invasive/users", user("username", "a".times(200)), gives: 200),
    Case("POST /invasive/users", user("username", "a".times(201)), gives: 422, mentions: "username 201 200"),
    Case("POST /invasive/users", user("username", "😀".times(200)), gives: 200),
    Case("POST /invasive/users", user("username", "😀".times(201)), gives: 422, mentions: "username"),
    Case("POST /invasive/users", user("username", "e\u{301}".times(100)), gives: 200),
    Case("POST /invasive/users", user("username", "e\u{301}".times(101)), gives: 422, mentions: "username"),
    Case("POST /invasive/users", user("password", "\u{10FFFF}".times(200)), gives: 200),
    Case("POST /invasive/users", user("password", "p".times(201)), gives: 422, mentions: "password"),
    Case("POST /invasive/users", user("realname", "r".times(200)), gives: 200),
    Case("POST /invasive/users", user("realname", "r".times(201)), gives: 422, mentions: "realname"),
    Case("POST /invasive/users", user("phone", #"\u0031"#.times(200)), gives: 200),
    Case("POST /invasive/users", user("phone", "1".times(201)), gives: 422, mentions: "phone"),
    Case("POST /invasive/observations", sighting(date: quoted("1".times(200))), gives: 200, .id),
    Case("POST /invasive/observations", sighting(date: quoted("1".times(201))), gives: 422, mentions: "date"),
    Case("POST /invasive/observations", sighting(comment: quoted("😀".times(10_000))), gives: 200, .id),
    Case(
      "POST /invasive/observations", sighting(comment: quoted("c".times(10_001))), gives: 422,
      mentions: "comment"),
    Case("POST /directory/users", user("name", "n".times(200)), gives: 200, .key),
    Case("POST /directory/users", user("name", "n".times(201)), gives: 422, mentions: "name"),
    Case("POST /directory/users", user("password", "p".times(201)), gives: 422, mentions: "password"),
    Case("POST /directory/people/{scratch}", #"{"name":\#(quoted("é".times(200)))}"#, gives: 200, .id),
    Case(
      "POST /directory/people/{scratch}", #"{"name":\#(quoted("n".times(201)))}"#, gives: 422,
      mentions: "name"),
    Case("PUT /directory/people/{scratch}/{another}", #"{"name":\#(quoted("n".times(201)))}"#, gives: 422),
    // "A Person 64 members and 64 KiB."
    Case("POST /directory/people/{scratch}", members(64), gives: 200, .id),
    Case("POST /directory/people/{scratch}", members(65), gives: 422, mentions: "65 64"),
    Case("PUT /directory/people/{scratch}/{another}", members(65), gives: 422, mentions: "65 64"),
    Case("POST /directory/people/{scratch}", #"{"a":"\#("x".times(65_528))"}"#, gives: 200, .id),
    Case("POST /directory/people/{scratch}", #"{"a":"\#("x".times(65_529))"}"#, gives: 422),
    Case("PUT /directory/people/{scratch}/{another}", #"{"a":"\#("x".times(65_529))"}"#, gives: 422),
    // "413 a body over 1 MiB … 414, 431 a target or headers too long."
    Case("POST /invasive/observations", padded(sighting(user: "1"), to: 1 << 20), gives: 200, .id),
    Case("POST /invasive/observations", padded(sighting(user: "1"), to: 1 << 20 | 1), gives: 413),
    Case("POST /directory/people/{scratch}", padded("{}", to: 1 << 20), gives: 422),
    Case("PUT /directory/people/{scratch}/{another}", padded("{}", to: 1 << 20 | 1), gives: 413),
    Case("GET /invasive/parks?\("x".times(2000))", gives: 200),
    Case("GET /invasive/parks?\("x".times(100_000))", gives: 414, isBare: true, then: .closed),
    Case("GET /invasive/parks", with: ["X-Long: \("x".times(2000))"], gives: 200),
    Case(
      "GET /invasive/parks", with: ["X-Long: \("x".times(100_000))"], gives: 431, isBare: true, then: .closed),
  ]

  private static func padded(_ text: String, to count: Int) -> String {
    text + " ".times(count - text.utf8.count)
  }

  private static func quoted(_ text: String) -> String { "\"\(text)\"" }

  /// A sign-up with one value of a length that matters.
  private static func user(_ member: String, _ value: String) -> String {
    let name = "limits-\(member)-\(value.unicodeScalars.count)"
    let others = ["username", "name", "password"].filter { $0 != member }.map { "\"\($0)\":\"\(name)\"," }
    return "{\(others.joined())\"\(member)\":\"\(value)\"}"
  }

  private static func members(_ count: Int) -> String {
    "{\((1...count).map { "\"m\($0)\":\($0)" }.joined(separator: ","))}"
  }
}
