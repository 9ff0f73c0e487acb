import TestSupport
import Testing

/// "GET answers carry a strong ETag and Cache-Control: no-cache; If-None-Match gives 304." "HEAD answers as
/// GET without the body."
@Suite("Caching", .fixture)
struct CachingTests {
  static let targets = [
    "/invasive/species", "/invasive/species/3", "/invasive/parks", "/invasive/parks/3",
    "/invasive/images/garlic-mustard.png", "/invasive/observations?species=2",
    "/invasive/observations/{sighting}",
    "/directory/people/{key}", "/directory/people/{key}/{person}",
  ]

  private let fixture: Fixture

  init() throws { fixture = try #require(Fixture.shared) }

  private func answer(_ request: String, _ body: String? = nil, with fields: [String] = []) throws
    -> RawResponse
  {
    try fixture.server.answer(fixture.resolve(request), body, with: fields)
  }

  @Test("what hasn't changed is answered 304 to whoever has it", arguments: targets)
  func notModified(target: String) throws {
    let etag = try #require(answer("GET \(target)")["ETag"])
    #expect(EveryAnswer.isStrong(etag))
    for listed in [etag, "W/\(etag)", "\"other\", \(etag)", "\"other\",W/\"another\" ,\(etag),\"more\""] {
      let response = try answer("GET \(target)", with: ["If-None-Match: \(listed)"])
      #expect(response.status == 304)
      #expect(response.body.isEmpty)
      #expect(response["ETag"] == etag)
      #expect(response["Cache-Control"] == "no-cache")
      EveryAnswer.check(response, method: "GET", target: target, #_sourceLocation)
    }
    #expect(try answer("HEAD \(target)", with: ["If-None-Match: \(etag)"]).status == 304)
    #expect(try answer("GET \(target)", with: ["If-None-Match: \(etag.dropLast(2))\""]).status == 200)
  }

  @Test("what has changed has another ETag")
  func modified() throws {
    let targets = ["/directory/people/{scratch}", "/directory/people/{scratch}/{another}"]
    let before = try targets.map { try answer("GET \($0)")["ETag"] }
    #expect(try answer("PUT \(targets[1])", #"{"name":"changed"}"#).status == 200)
    for (target, etag) in zip(targets, before) {
      let etag = try #require(etag)
      let response = try answer("GET \(target)", with: ["If-None-Match: \(etag)"])
      #expect(response.status == 200)
      #expect(response["ETag"] != etag)
    }
  }

  @Test("two answers that differ by their Host have different ETags")
  func origins() throws {
    func etag(_ host: String) throws -> String? {
      let client = try RawClient(port: fixture.server.port)
      try client.send("GET /invasive/species HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      return try client.response()["ETag"]
    }
    #expect(try etag("a.example") != etag("b.example"))
    #expect(try etag("a.example") == etag("a.example"))
  }

  @Test("HEAD gives GET's header", arguments: targets + ["/invasive/parks/999", "/directory/people/1"])
  func head(target: String) throws {
    let (get, head) = (try answer("GET \(target)"), try answer("HEAD \(target)"))
    func fields(_ response: RawResponse) -> [String] {
      // What differs from one request to the next; an instance's length is its number's.
      response.fields.filter { !["Date", "X-Request-Id"].contains($0.name) }
        .filter { response.status == 200 || $0.name != "Content-Length" }
        .map { "\($0.name): \($0.value)" }.sorted()
    }
    #expect(head.status == get.status)
    #expect(fields(head) == fields(get))
  }
}
