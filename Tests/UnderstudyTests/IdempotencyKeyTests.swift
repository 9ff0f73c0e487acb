import Foundation
import TestSupport
import Testing

@testable import Understudy

@Suite("Idempotency keys", .timeLimit(.minutes(1)))
struct IdempotencyKeyTests {
  private let application: ApplicationUnderTest
  private static let target = "/invasive/observations"

  init() throws {
    application = try ApplicationUnderTest()
    try application.signUp("ada")
  }

  private func body(_ comment: String, park: Int = 1) -> String {
    #"{"user":1,"species":1,"park":\#(park),"comment":"\#(comment)","date":""}"#
  }

  private func post(_ comment: String, key: String?, park: Int = 1) throws -> RawResponse {
    try application.post(Self.target, body(comment, park: park), key: key)
  }

  private func rows() throws -> Int64? { try application.integer("SELECT count(*) FROM observation") }

  @Test("a request that is repeated with its key counts once and is answered alike")
  func replay() throws {
    let first = try post("a", key: "one")
    for _ in 0..<3 {
      let again = try post("a", key: "one")
      #expect(again.status == 200)
      #expect(again.text == first.text)
      #expect(again["Location"] == first["Location"])
    }
    #expect(try rows() == 1)
    #expect(try post("a", key: "other").text != first.text)
    #expect(try rows() == 2)
  }

  @Test("without a key, identical posts are separate rows")
  func noKey() throws {
    #expect(try post("a", key: nil).text != post("a", key: nil).text)
    #expect(try rows() == 2)
  }

  @Test(
    "a key is opaque bytes, quoted or not, told apart by case",
    arguments: [
      ("one", "\"one\"", true), ("one", " one ", true), ("\"\"one\"\"", "\"one\"", false),
      ("one", "One", false), ("one", "one\"", false),
      ("a b", "a  b", false), ("é", "é", true), ("\"", "\"\"\"", true),
    ])
  func spelling(one: String, other: String, areOne: Bool) throws {
    let first = try post("a", key: one)
    let second = try post("a", key: other)
    #expect(second.status == 200)
    #expect((first.text == second.text) == areOne)
  }

  @Test(
    "the same key with another body is 422 and changes nothing, an empty one is 400",
    arguments: ["", "\"\"", " "])
  func refused(empty: String) throws {
    let first = try post("a", key: "one")
    #expect(try post("b", key: "one").status == 422)
    #expect(try post("b", key: "one").status == 422)
    #expect(try post("a", key: "one").text == first.text)
    #expect(try post("a", key: empty).status == 400)
    #expect(try rows() == 1)
  }

  @Test("a key belongs to its path")
  func scope() throws {
    let directory = try application.post("/directory/users", #"{"name":"ada","password":"x"}"#).text
    let people = "/directory/people/\(directory)"
    #expect(try application.post(people, body("a"), key: "one").text == "1")
    #expect(try post("a", key: "one").status == 200)
    #expect(try application.post(people, body("a"), key: "one").text == "1")
    #expect(try application.post(people + "/", body("a"), key: "one").text == "1", "one path, two spellings")
    #expect(try application.integer("SELECT count(*) FROM person") == 1)
    #expect(try rows() == 1)
  }

  @Test("a request that failed isn't remembered")
  func failed() throws {
    #expect(try post("a", key: "one", park: 999).status == 422)
    #expect(try post("a", key: "one", park: 1).status == 200)
    #expect(try rows() == 1)
  }

  @Test("of the same request many times at once one counts")
  func concurrent() throws {
    let clients = try (0..<16).map { _ in try application.client() }
    for client in clients { try client.send(ApplicationUnderTest.post(Self.target, body("a"), key: "one")) }
    let answers = try clients.map { try $0.response() }
    #expect(answers.allSatisfy { $0.status == 200 })
    #expect(Set(answers.map(\.text)).count == 1)
    #expect(try rows() == 1)
  }

  @Test("a key is remembered over a restart, for a day")
  func lifetime() throws {
    let first = try post("a", key: "one")
    try application.restart(afterRunning: "UPDATE idempotency_key SET created = created - 86000")
    #expect(try post("a", key: "one").text == first.text)
    try application.restart(afterRunning: "UPDATE idempotency_key SET created = created - 400")
    let later = try post("b", key: "one")
    #expect(later.status == 200)
    #expect(later.text != first.text)
    #expect(try post("b", key: "one").text == later.text)
    #expect(try application.integer("SELECT count(*) FROM idempotency_key") == 1)
  }

  @Test("past the most that are remembered the oldest is forgotten first")
  func cap() throws {
    let first = try post("a", key: "one")
    let second = try post("a", key: "two")
    // As if as many had come since that the next one makes the first one too many.
    try application.restart(
      afterRunning:
        "UPDATE sqlite_sequence SET seq = \(Application.Options().idempotencyKeys) WHERE name = 'idempotency_key'"
    )
    #expect(try post("a", key: "one").text == first.text)
    _ = try post("a", key: "three")
    #expect(try post("a", key: "two").text == second.text)
    #expect(try post("a", key: "one").text != first.text)
  }

  @Test("a sign-up that is repeated makes one user, without its password on the disk")
  func signUp() throws {
    let invasive = #"{"username":"bob","password":"correct horse"}"#
    let first = try application.post("/invasive/users", invasive, key: "one")
    #expect(first.status == 200)
    #expect(try application.post("/invasive/users", invasive, key: "one").text == first.text)
    #expect(try application.post("/invasive/users", invasive).status == 409)
    #expect(
      try application.post("/invasive/users", #"{"username":"bob","password":"other"}"#, key: "one").status
        == 422)
    let directory = #"{"name":"bob","password":"correct horse"}"#
    let key = try application.post("/directory/users", directory, key: "one").text
    #expect(try application.post("/directory/users", directory, key: "one").text == key)
    try application.restart()
    let file = try Data(contentsOf: application.folder.url.appending(path: "understudy.sqlite"))
    #expect(file.range(of: Data("bob".utf8)) != nil)
    #expect(file.range(of: Data("correct horse".utf8)) == nil)
  }
}
