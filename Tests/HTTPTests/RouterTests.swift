import Testing

@testable import HTTP

@Suite("The router")
struct RouterTests {
  private let table: RoutingTable = {
    let nothing: Handler = { _ in .now(Response(type: nil, body: .none, caching: .noStore)) }
    var router = Router()
    router.get("/", nothing)
    router.get("/parks", nothing)
    router.get("/parks/:id", nothing)
    router.post("/parks", nothing)
    router.get("/parks/new", nothing)
    router.put("/people/:key/:id", nothing)
    router.delete("/people/:key/:id", nothing)
    router.post("/people/:key/:id/photo", nothing)
    return RoutingTable(router)
  }()

  private func route(_ target: String) -> Route? {
    table.route(for: RequestTarget(Array(target.utf8)))?.takeUnretainedValue()
  }

  @Test(
    "a path finds its route, a literal segment before a parameter",
    arguments: [
      ("/", "/"), ("/?a", "/"), ("/parks", "/parks"), ("/parks/", "/parks"), ("/%70arks", "/parks"),
      ("/parks/7", "/parks/:id"),
      ("/parks/new", "/parks/new"), ("/parks/New", "/parks/:id"), ("/parks/a%2Fb", "/parks/:id"),
      ("/people/1/2", "/people/:key/:id"), ("/people/1/2/photo", "/people/:key/:id/photo"),
      ("http://host/parks/7", "/parks/:id"), ("http://host", "/"), ("/parks/%FF", "/parks/:id"),
    ])
  func found(target: String, pattern: String) {
    #expect(route(target)?.pattern == pattern)
  }

  @Test(
    "any other path finds none",
    arguments: [
      "/Parks", "/park", "/parks/7/8", "/people", "/people/1", "/people/1/2/3", "/parks//", "//parks",
      "/parks/.",
      "/parks/..", "/parks/%00", "/parks/%2e%2e", "/parks%2F7", "/parks%20", "parks",
    ])
  func notFound(target: String) {
    let form = RequestTarget(Array(target.utf8)).form
    #expect(route(target) == nil || form == .invalid)
  }

  @Test(
    "a route says which methods it answers, HEAD and OPTIONS among them",
    arguments: [
      ("/parks", "GET, HEAD, POST, OPTIONS"), ("/parks/7", "GET, HEAD, OPTIONS"),
      ("/people/1/2", "PUT, DELETE, OPTIONS"),
    ])
  func allow(target: String, expected: String) {
    #expect(route(target)?.allow == expected)
  }

  @Test("HEAD is answered by what answers GET")
  func head() {
    #expect(route("/parks")?.handler(for: .head) != nil)
    #expect(route("/people/1/2")?.handler(for: .head) == nil)
    #expect(route("/people/1/2")?.handler(for: .get) == nil)
    #expect(route("/people/1/2")?.handler(for: .put) != nil)
    #expect(route("/parks")?.handler(for: .other("PATCH")) == nil)
    // Methods are told apart by case (RFC 9110, section 9.1).
    #expect(route("/parks")?.handler(for: Method("get")) == nil)
  }
}
