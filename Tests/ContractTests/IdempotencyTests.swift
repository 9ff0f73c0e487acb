import TestSupport
import Testing
import UnderstudyTesting

/// "A client that wants a retried POST to count once sends Idempotency-Key."
@Suite("Idempotency", .fixture)
struct IdempotencyTests {
  private let fixture: Fixture

  init() throws { fixture = try #require(Fixture.shared) }

  private func post(_ path: String, _ body: String, key: String?) throws -> RawResponse {
    try fixture.server.answer(
      fixture.resolve("POST \(path)"), fixture.resolve(body),
      with: key.map { ["Idempotency-Key: \($0)"] } ?? [])
  }

  private let sightings = "/invasive/observations"

  @Test("without the header, identical posts are separate rows")
  func withoutKey() throws {
    let ids = try (0..<3).map { _ in try post(sightings, sighting(), key: nil).text }
    #expect(Set(ids).count == 3)
  }

  @Test("a repeated upload gives the first one's id, and is one row")
  func repeated() throws {
    let body = sighting(comment: #""repeated""#)
    let first = try post(sightings, body, key: "\"repeated\"")
    let others = try (0..<3).map { _ in try post(sightings, body, key: "\"repeated\"") }
    #expect(first.status == 200)
    for other in others {
      #expect(other.status == 200)
      #expect(other.body == first.body)
      #expect(other["Location"] == first["Location"])
    }
    let list = try fixture.server.answer("GET /invasive/observations").text
    #expect(list.split(separator: #""comment":"repeated""#).count == 2)
  }

  @Test("quotes around the key make no difference")
  func quotes() throws {
    let ids = try ["quoted", "\"quoted\""].map { try post(sightings, sighting(), key: $0).text }
    #expect(ids[0] == ids[1])
  }

  @Test("another key is another request, one that differs by a byte or a letter's case too")
  func otherKeys() throws {
    let ids = try ["other", "Other", "other ö", "other ö"].map {
      try post(sightings, sighting(), key: $0).text
    }
    #expect(Set(ids).count == 3)
    #expect(ids[2] == ids[3])
  }

  @Test("the same key with another body is 422, be it but white space")
  func otherBody() throws {
    #expect(try post(sightings, sighting(), key: "body").status == 200)
    let response = try post(sightings, sighting() + " ", key: "body")
    #expect(response.status == 422)
    EveryAnswer.check(response, method: "POST", target: sightings, #_sourceLocation)
    #expect(Problem(response)?.detail.contains("Idempotency-Key") == true)
    #expect(try post(sightings, sighting(), key: "body").status == 200)
  }

  @Test("keys are scoped to the path")
  func paths() throws {
    let one = try post("/directory/people/{scratch}", "{}", key: "path")
    let other = try post("/directory/people/{other}", "{}", key: "path")
    #expect(one.status == 200)
    #expect(other.status == 200)
    #expect(one.text != other.text)
    #expect(try post("/directory/people/{scratch}/", "{}", key: "path").text == one.text)
  }

  @Test("a request that was refused isn't remembered")
  func refused() throws {
    #expect(try post(sightings, sighting(park: "999"), key: "refused").status == 422)
    #expect(try post(sightings, sighting(park: "x"), key: "refused").status == 400)
    let first = try post(sightings, sighting(), key: "refused")
    #expect(first.status == 200)
    #expect(try post(sightings, sighting(), key: "refused").text == first.text)
  }

  @Test("requests that come at once make one row")
  func concurrent() throws {
    let message = fixture.resolve(
      Wire.message(
        "POST /invasive/observations", nil, with: ["Content-Length: {length}", "Idempotency-Key: now"])
        + sighting())
    let clients = try (0..<8).map { _ in try RawClient(port: fixture.server.port) }
    for client in clients { try client.send(Wire.bytes(message)) }
    let responses = try clients.map { try $0.response() }
    #expect(responses.allSatisfy { $0.status == 200 })
    #expect(Set(responses.map(\.text)).count == 1)
  }

  @Test("a repeated sign-up gives the same user, and the same key")
  func signUps() throws {
    let user = #"{"username":"idempotent","password":"p"}"#
    let first = try post("/invasive/users", user, key: "user")
    #expect(first.status == 200)
    #expect(try post("/invasive/users", user, key: "user").body == first.body)
    #expect(try post("/invasive/users", user, key: nil).status == 409)
    let directoryUser = #"{"name":"idempotent","password":"p"}"#
    let key = try post("/directory/users", directoryUser, key: "user")
    #expect(key.status == 200)
    #expect(try post("/directory/users", directoryUser, key: "user").text == key.text)
    #expect(try post("/directory/users", directoryUser, key: "more").status == 409)
  }

  @Test("a repeated post that came before a deletion makes no second person")
  func deleted() throws {
    let id = try post("/directory/people/{scratch}", #"{"name":"once"}"#, key: "deleted").text
    #expect(
      try fixture.server.answer(fixture.resolve("DELETE /directory/people/{scratch}/\(id)")).status == 200)
    #expect(try post("/directory/people/{scratch}", #"{"name":"once"}"#, key: "deleted").text == id)
    #expect(try fixture.server.answer(fixture.resolve("GET /directory/people/{scratch}/\(id)")).status == 404)
  }
}
