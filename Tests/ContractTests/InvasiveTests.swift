import Foundation
import TestSupport
import Testing
import UnderstudyTesting

/// What the invasive species section promises beyond one request.
@Suite("Invasive species")
struct InvasiveTests {
  private struct Observation: Decodable {
    let idobservation: Int
    let comment: String
    let date: String
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ response: RawResponse) throws -> Value {
    try JSONDecoder().decode(type, from: Data(response.body))
  }

  /// Follows the links from a first page to the last.
  private func pages(_ target: String, of server: TestServer) throws -> [RawResponse] {
    var pages: [RawResponse] = []
    var next: String? = target
    while let target = next {
      let response = try server.answer("GET \(target)")
      try #require(response.status == 200)
      pages.append(response)
      next = response["Link"].map { link in
        #expect(link.wholeMatch(of: /<http:\/\/[^>]*>; rel="next"/) != nil, "\(link)")
        return String(link.dropFirst("<\(server.url)".count).prefix { $0 != ">" })
      }
    }
    return pages
  }

  @Test("pages lead to every row once, and keep the filters")
  func paging() throws {
    let server = try TestServer()
    defer { server.stop() }
    let (one, other) = (try server.addUser("one"), try server.addUser("other"))
    var ids: [Int] = []
    for index in 0..<7 {
      ids.append(Int(try server.add("/invasive/observations", sighting(user: one, species: "5", park: "6")))!)
      let elsewhere = index % 2 == 0 ? sighting(user: other, species: "5") : sighting(user: one, species: "4")
      _ = try server.add("/invasive/observations", elsewhere)
    }
    for (filter, limit) in [("user=\(one)&species=5&park=6", 3), ("park=6", 2), ("park=6&species=5", 1)] {
      let pages = try pages("/invasive/observations?limit=\(limit)&\(filter)", of: server)
      let rows = try pages.map { try decode([Observation].self, $0).map(\.idobservation) }
      #expect(rows.flatMap { $0 } == ids)
      #expect(rows.dropLast().allSatisfy { $0.count == limit })
    }
    // A last page that is full has no next one.
    #expect(try pages("/invasive/observations?user=\(one)&species=5&limit=7", of: server).count == 1)
    #expect(try pages("/invasive/observations", of: server).count == 1)
  }

  @Test("a page ends at 1 MiB")
  func longPages() throws {
    let server = try TestServer()
    defer { server.stop() }
    let user = try server.addUser("writer")
    let body = sighting(user: user, comment: "\"\("😀".times(10_000))\"")
    for _ in 0..<30 { _ = try server.add("/invasive/observations", body) }
    let pages = try pages("/invasive/observations", of: server)
    #expect(pages.count == 2)
    #expect(pages.allSatisfy { $0.body.count <= 1 << 20 })
    #expect(try pages.map { try decode([Observation].self, $0).count }.reduce(0, +) == 30)
  }

  @Test("a page has a thousand rows by default")
  func defaultLimit() throws {
    let server = try TestServer()
    defer { server.stop() }
    let user = try server.addUser("writer")
    let message = Wire.bytes(Wire.message("POST /invasive/observations", sighting(user: user), with: []))
    // Many at once: what waits for the writer goes to the disk together.
    let clients = try (0..<100).map { _ in try RawClient(port: server.port) }
    for _ in 0..<11 {
      for client in clients {
        try client.send(String(decoding: message, as: UTF8.self).replacing("{host}", with: "h"))
      }
      for client in clients { try #require(try client.response().status == 200) }
    }
    let pages = try pages("/invasive/observations", of: server)
    #expect(try pages.map { try decode([Observation].self, $0).count } == [1000, 100])
  }

  @Test(
    "text comes back scalar for scalar",
    arguments: [
      #"a\u0000b"#, #"\u2028\u2029"#, "\u{2028}", "😀👩‍👩‍👧‍👦🏳️‍🌈", "e\u{301}\u{327} é", "שלום עולם ‏مرحبا",
      #"\"\\\/\b\f\n\r\t"#, #"\u001f\u007f"#, "\u{7F}\u{80}\u{FEFF}\u{FFFD}\u{FFFE}\u{10FFFF}", "  two  ",
      #"\ud83d\ude00 \uD83D\uDE00"#, "</script>&amp;'", "",
    ])
  func text(_ literal: String) throws {
    let sent = try JSONDecoder().decode(String.self, from: Data("\"\(literal)\"".utf8))
    let server = try TestServer()
    defer { server.stop() }
    let user = try server.addUser("writer")
    let id = try server.add(
      "/invasive/observations", sighting(user: user, comment: "\"\(literal)\"", date: "\"\(literal)\""))
    let response = try server.answer("GET /invasive/observations/\(id)")
    let observation = try decode(Observation.self, response)
    #expect(Array(observation.comment.unicodeScalars) == Array(sent.unicodeScalars))
    #expect(Array(observation.date.unicodeScalars) == Array(sent.unicodeScalars))
    if sent.unicodeScalars.contains("\0") { #expect(response.text.contains(#"a\u0000b"#)) }
  }

  @Test("a new row is found at its Location")
  func location() throws {
    let server = try TestServer()
    defer { server.stop() }
    let user = try server.addUser("writer")
    let posted = try server.answer("POST /invasive/observations", sighting(user: user, comment: #""here""#))
    let location = try #require(posted["Location"])
    let path = location.hasPrefix(server.url) ? String(location.dropFirst(server.url.count)) : location
    let response = try server.answer("GET \(path)")
    #expect(response.text.hasPrefix(#"{"idobservation":\#(posted.text),"#))
    #expect(response.text.contains(#""comment":"here""#))
  }

  @Test("the password in a login's answer is what was sent, and a sign-up's user is the login's")
  func users() throws {
    let server = try TestServer()
    defer { server.stop() }
    let body = #"{"iduser":0,"username":"ada","password":"\"p\\","realname":"Ada\tL.","phone":"+1 (555) 1"}"#
    let signUp = try server.answer("POST /invasive/users", body)
    let login = try server.answer("GET /invasive/users?user=ada&password=%22p%5C")
    #expect(signUp.status == 200)
    #expect(login.body == signUp.body)
    #expect(login.text == body.replacing(#""iduser":0"#, with: #""iduser":1"#))
  }

  @Test("ids and rows are the catalogue's, and every species' picture loads")
  func catalogue() throws {
    struct Species: Decodable {
      let idspecies: Int
      let image: String
    }
    struct Park: Decodable {
      let idpark: Int
    }
    let server = try TestServer()
    defer { server.stop() }
    let species = try decode([Species].self, try server.answer("GET /invasive/species"))
    #expect(species.map(\.idspecies) == species.map(\.idspecies).sorted())
    #expect(species.count > 40)
    for one in species {
      let response = try server.answer("GET \(one.image.dropFirst(server.url.count))")
      #expect(response.status == 200, "\(one.image)")
      #expect(response["Content-Type"]?.hasPrefix("image/") == true)
    }
    let parks = try decode([Park].self, try server.answer("GET /invasive/parks"))
    #expect(parks.map(\.idpark) == Array(1...parks.count))
  }
}
