import TestSupport
import Testing

/// The contract, a line a request. The sections are the contract's own.
@Suite("The contract's table", .fixture)
struct TableTests {
  @Test("Status", arguments: Table.status) func status(_ one: Case) throws { try check(one) }
  @Test("Errors", arguments: Table.errors) func errors(_ one: Case) throws { try check(one) }
  @Test("Bodies", arguments: Table.bodies) func bodies(_ one: Case) throws { try check(one) }
  @Test("Bodies: whole numbers", arguments: Table.numbers) func numbers(_ one: Case) throws { try check(one) }
  @Test("Limits", arguments: Table.limits) func limits(_ one: Case) throws { try check(one) }
  @Test("Names and passwords", arguments: Table.names) func names(_ one: Case) throws { try check(one) }
  @Test("The query", arguments: Table.query) func query(_ one: Case) throws { try check(one) }
  @Test("The path", arguments: Table.path) func path(_ one: Case) throws { try check(one) }
  @Test("Methods", arguments: Table.methods) func methods(_ one: Case) throws { try check(one) }
  @Test("Caching", arguments: Table.caching) func caching(_ one: Case) throws { try check(one) }
  @Test("Changes", arguments: Table.changes) func changes(_ one: Case) throws { try check(one) }
  @Test("Idempotency", arguments: Table.idempotency) func idempotency(_ one: Case) throws { try check(one) }
  @Test("Transport", arguments: Table.transport) func transport(_ one: Case) throws { try check(one) }
  @Test("Invasive species", arguments: Table.invasive) func invasive(_ one: Case) throws { try check(one) }
  @Test("Directory", arguments: Table.directory) func directory(_ one: Case) throws { try check(one) }
  @Test("Bad logins", arguments: Table.badLogins) func badLogins(_ one: Case) throws { try check(one) }

  /// Sends the request of a case on a connection of its own and checks all that is said of the answer.
  private func check(_ one: Case, _ place: SourceLocation = #_sourceLocation) throws {
    let fixture = try #require(Fixture.shared)
    let client = try RawClient(port: fixture.server.port)
    try client.send(Wire.bytes(fixture.resolve(one.message)))
    let response = try client.response(isHEAD: one.method == "HEAD")
    try #require(response.status == one.status, "\(response.text.prefix(300))")
    if !one.isBare {
      EveryAnswer.check(response, method: one.method, target: one.target, place)
      checkFields(of: response, one, fixture)
      check(response, one.answer, fixture)
      let detail = one.mentions.isEmpty ? "" : Problem(response)?.detail ?? ""
      for word in one.mentions { #expect(detail.contains(fixture.resolve(word)), "\(detail)") }
    }
    switch one.connection {
    case .closed where one.isBare:
      // libmicrohttpd 0.9.75 sends the header of such an answer twice.
      #expect(client.isClosedByServerInTheEnd(), "the connection is kept")
    case .closed:
      #expect(client.isClosedByServer(), "the connection is kept")
    case .kept:
      // The next request on the same connection finds its start where it is.
      let next = try client.answer("GET /invasive/parks/1", port: fixture.server.port)
      #expect(next.status == 200, "the next request")
    }
  }

  private func checkFields(of response: RawResponse, _ one: Case, _ fixture: Fixture) {
    if let type = one.type {
      let media = response["Content-Type"]?.split(separator: ";").first.map(String.init)
      #expect(media == type)
    }
    for field in one.has.map(fixture.resolve) {
      let parts = field.split(separator: ": ", maxSplits: 1).map(String.init)
      if parts.count == 2 {
        #expect(response.values(parts[0]) == [parts[1]], "\(parts[0])")
      } else {
        #expect(response[parts[0]] != nil, "\(parts[0])")
      }
    }
    for name in one.lacks { #expect(response[name] == nil, "\(name)") }
    if let allow = one.allow {
      let methods = (response["Allow"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
      #expect(Set(methods) == Set(allow.split(separator: " ").map(String.init)))
    }
  }

  private func check(_ response: RawResponse, _ answer: Case.Answer?, _ fixture: Fixture) {
    let text = response.text
    func bytes(_ expected: String) -> [UInt8] { Wire.bytes(fixture.resolve(expected)) }
    let (isRight, type): (Bool, String?) =
      switch answer {
      case nil: (true, nil)
      case .exactly(let expected): (response.body == bytes(expected), nil)
      case .begins(let expected): (response.body.starts(with: bytes(expected)), nil)
      case .contains(let expected): (response.body.contains(bytes(expected)), nil)
      case .nothing: (response.body.isEmpty, nil)
      case .id: (text.wholeMatch(of: /[1-9][0-9]*/) != nil, "application/json")
      case .key: (text.wholeMatch(of: /[1-9][0-9]{0,38}/) != nil, "text/plain")
      case .quotedKey: (text.wholeMatch(of: /"[1-9][0-9]{0,38}"/) != nil, "application/json")
      }
    #expect(isRight, "\(text.prefix(300))")
    if let type { #expect(response["Content-Type"]?.hasPrefix(type) == true) }
    switch answer {
    case .id: #expect(response["Location"]?.hasSuffix("/\(text)") == true)
    case .key, .quotedKey: #expect(response.values("Cache-Control") == ["no-store"])
    default: break
    }
  }
}

/// The cases, by the contract's sections.
enum Table {}
