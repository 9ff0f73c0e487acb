import Foundation
import TestSupport
import Testing
import UnderstudyTesting

/// A server with some data in it, all of it posted by HTTP, for the table.
final class Fixture: Sendable {
  /// The one of the suite that runs.
  @TaskLocal static var shared: Fixture?

  let server: TestServer
  /// What the names in braces stand for.
  let names: [String: String]

  init() throws {
    server = try TestServer()
    var names = ["host": "127.0.0.1:\(server.port)", "port": "\(server.port)"]
    for (name, password) in Self.users { _ = try server.addUser(name, password: password) }
    names["user"] = try server.addUser("ada", password: "lovelace", more: #","realname":"Ada","phone":"1""#)
    names["sighting"] = try server.add(
      "/invasive/observations",
      #"{"user":\#(names["user"]!),"species":2,"park":3,"comment":"by the lake","date":"2024-06-01"}"#)
    let directories = ["key": "grace", "other": "joan", "scratch": "scratch", "empty": "nobody"]
    for (name, user) in directories { names[name] = try server.addKey(user) }
    for (name, key, person) in Self.people {
      names[name] = try server.add("/directory/people/\(names[key]!)", person)
    }
    let person = try server.answer("GET /directory/people/\(names["key"]!)/\(names["person"]!)").text
    names["owner"] = String(person.split(separator: "\"user\":")[1].prefix { $0.isNumber })
    self.names = names
  }

  /// Users of the invasive species app, each for what is odd in its name or its password.
  private static let users = [
    ("plus+sign", "a+b"), ("two words", "c d"), ("mix+ed", "e f"), ("eq", "x=y;z"), ("percent", "100%zz%"),
    ("amp", "a&b"), (" spaced ", " p "), ("Jose\u{301}", "cafe\u{301}"), ("fish", "p"),
    ("a\\u0000b", "n\\u0000l"),
    ("😀", "🔑"),
  ]

  /// People: what the table calls them, in which directory they are, and what was posted.
  private static let people = [
    (
      "person", "key",
      #"{"id":0,"name":"Hopper","office":"A-0","email":"g@navy.mil","rate":1.10,"n":12345678901234567890}"#
    ),
    ("second", "key", #"{"name":"Lovelace"}"#), ("theirs", "other", #"{"name":"Clarke","office":"B-1"}"#),
    ("replaced", "scratch", #"{"name":"old","office":"old","extra":1}"#),
    ("deleted", "scratch", #"{"name":"gone"}"#), ("another", "scratch", #"{"name":"another"}"#),
    ("slashed", "scratch", #"{"name":"slashed"}"#),
  ]

  /// The text with its names in braces replaced.
  func resolve(_ text: String) -> String {
    // In one pass: some texts are long.
    let parts = text.components(separatedBy: "{")
    return parts.dropFirst().reduce(into: parts[0]) { text, part in
      let name = String(part.prefix(10).prefix { $0 != "}" })
      if let value = names[name] {
        text += value + part.dropFirst(name.count + 1)
      } else {
        text += "{" + part
      }
    }
  }
}

/// Starts the table's server before a suite, and ends it afterwards.
struct FixtureTrait: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let fixture = try Fixture()
    defer { fixture.server.stop() }
    try await Fixture.$shared.withValue(fixture) { try await function() }
  }
}

extension Trait where Self == FixtureTrait {
  /// One server for the whole suite.
  static var fixture: FixtureTrait { FixtureTrait() }
}

extension TestServer {
  /// What the server answers to a request on a connection of its own.
  func answer(_ request: String, _ body: String? = nil, with fields: [String] = []) throws -> RawResponse {
    let client = try RawClient(port: port)
    return try client.answer(request, body, with: fields + ["Connection: close"], port: port)
  }

  /// Posts what has to be taken.
  ///
  /// - Returns: the answer's body.
  func add(_ path: String, _ body: String) throws -> String {
    let response = try answer("POST \(path)", body)
    try #require(response.status == 200, "POST \(path): \(response.text)")
    return response.text
  }

  /// Adds a user of the invasive species app.
  ///
  /// - Returns: its id.
  func addUser(_ name: String, password: String = "p", more: String = "") throws -> String {
    let user = try add("/invasive/users", #"{"username":"\#(name)","password":"\#(password)"\#(more)}"#)
    return String(user.dropFirst(#"{"iduser":"#.count).prefix { $0.isNumber })
  }

  /// Adds a user of the directory.
  ///
  /// - Returns: the key.
  func addKey(_ name: String, password: String = "p") throws -> String {
    try add("/directory/users", #"{"name":"\#(name)","password":"\#(password)"}"#)
  }
}

extension RawClient {
  /// What the server answers to a request on this connection.
  func answer(
    _ request: String, _ body: String? = nil, with fields: [String] = [], port: UInt16
  ) throws -> RawResponse {
    let message = Wire.message(request, body, with: fields).replacing("{host}", with: "127.0.0.1:\(port)")
    try send(Wire.bytes(message))
    return try response(isHEAD: request.hasPrefix("HEAD "))
  }
}
