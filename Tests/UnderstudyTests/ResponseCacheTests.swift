import HTTP
import JSON
import TestSupport
import Testing
import Threads
import UnderstudyTesting

@testable import Understudy

@Suite("Answers that are kept")
struct ResponseCacheTests {
  private func response(_ text: String) -> Response { .json(ByteBuffer(text)) }

  private func text(of answer: PreparedResponse) -> String? {
    guard case .buffer(let buffer) = answer.response.body else { return nil }
    return buffer.text
  }

  @Test("an answer is read once, and again after it was forgotten")
  func forget() {
    let cache = ResponseCache(limit: 1 << 20)
    #expect(text(of: cache.answer(for: "a") { response("1") }) == "1")
    #expect(text(of: cache.answer(for: "b") { response("2") }) == "2")
    #expect(text(of: cache.answer(for: "a") { response("new") }) == "1")
    cache.forget("a")
    #expect(text(of: cache.answer(for: "a") { response("new") }) == "new")
    #expect(text(of: cache.answer(for: "b") { response("new") }) == "2")
  }

  @Test("what changed while it was being read isn't kept")
  func changedMeanwhile() {
    let cache = ResponseCache(limit: 1 << 20)
    let old = cache.answer(for: "a") {
      cache.forget("a")
      return response("old")
    }
    #expect(text(of: old) == "old")
    #expect(text(of: cache.answer(for: "a") { response("new") }) == "new")
  }

  @Test("what can't be read isn't kept")
  func failure() throws {
    let cache = ResponseCache(limit: 1 << 20)
    #expect(throws: Problem.self) { try cache.answer(for: "a") { throw Problem.notFound("") } }
    #expect(text(of: cache.answer(for: "a") { response("1") }) == "1")
  }

  @Test("it keeps no more than its limit, and what is asked for often")
  func limit() {
    let cache = ResponseCache(limit: 100 << 10)
    var reads = 0
    var kept: [Weak] = []
    for round in 0..<1000 {
      _ = cache.answer(for: "often") {
        reads += 1
        return response("often")
      }
      kept.append(Weak(cache.answer(for: "\(round)") { response(String(repeating: "x", count: 1000)) }))
    }
    #expect(reads == 1)
    #expect((25...100).contains(kept.count { $0.answer != nil }))
  }

  private struct Weak {
    weak var answer: PreparedResponse?
    init(_ answer: PreparedResponse) { self.answer = answer }
  }

  @Test(
    "what is too large is not kept, and with a limit of 0 nothing is", arguments: [(0, 1), (8 << 10, 1000)])
  func large(limit: Int, bytes: Int) {
    let cache = ResponseCache(limit: limit)
    for _ in 1...2 {
      var isRead = false
      _ = cache.answer(for: "a") {
        isRead = true
        return response(String(repeating: "x", count: bytes))
      }
      #expect(isRead)
    }
  }

  @Test(
    "who changes a directory sees the change at once, whoever reads it meanwhile", .timeLimit(.minutes(1)))
  func readYourWrites() throws {
    let server = try TestServer()
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    try client.send(ApplicationUnderTest.post("/directory/users", #"{"name":"ada","password":"x"}"#))
    let people = "/directory/people/\(try client.response().text)"
    let get = "GET \(people) HTTP/1.1\r\nHost: a\r\n\r\n"
    let isOver = Condition(false)
    let port = server.port
    let readers = try (1...3).map { _ in
      try Threads.Thread {
        guard let reader = try? RawClient(port: port) else { return }
        while !isOver.withLock({ $0 }), (try? reader.send(get)) != nil, (try? reader.response()) != nil {}
      }
    }
    for number in 1...300 {
      try client.send(ApplicationUnderTest.post(people, #"{"name":"no. \#(number)"}"#))
      #expect(try client.response().status == 200)
      try client.send(get)
      let list = try client.response().text
      #expect(list.contains("no. \(number)\""), "not in \(list.suffix(100))")
    }
    isOver.withLock { $0 = true }
    for reader in readers { reader.join() }
  }
}
