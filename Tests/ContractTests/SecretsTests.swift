import Foundation
import TestSupport
import Testing
import UnderstudyTesting

/// "Keys and passwords are secrets that travel in URLs: they never appear in a log, a journal or an error."
@Suite("Secrets")
struct SecretsTests {
  private static let password = "correct-horse"

  /// What a server writes to its log while it serves.
  private func log(_ serve: (TestServer, _ key: String) throws -> Void) throws -> (text: String, key: String)
  {
    let pipe = Pipe()
    let server = try TestServer {
      $0.logLevel = .debug
      $0.logDescriptor = pipe.fileHandleForWriting.fileDescriptor
    }
    var key = ""
    do {
      // The log's last line is written before the server has ended.
      defer { server.stop() }
      key = try server.addKey("grace", password: Self.password)
      try serve(server, key)
    }
    try pipe.fileHandleForWriting.close()
    return (String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self), key)
  }

  @Test("the log shows what was asked for, with the secrets struck out")
  func redacted() throws {
    var instance = ""
    let (text, _) = try log { server, key in
      _ = try server.answer("GET /directory/people/\(key)/3")
      instance = try #require(Problem(try server.answer("GET /directory/people/\(key)/4"))).instance
      _ = try server.answer("GET /directory/users?user=ada&password=\(Self.password)")
    }
    #expect(text.contains("/directory/people/‹key›/3"))
    #expect(text.contains("?user=ada&password=‹redacted›"))
    let line = text.split(separator: "\n").first { $0.contains("/directory/people/‹key›/4") }
    #expect(line?.contains(instance) == true)
  }

  @Test(
    "a key appears neither in the log nor in an error",
    arguments: [
      "GET /directory/people/{key}", "GET /directory/people/{key}/", "GET /directory/people/{key}/x",
      "DELETE /directory/people/{key}/9", "PATCH /directory/people/{key}", "POST /directory/people/{key}",
      "GET /directory/people/{key}/1/2", "GET /directory/people//{key}", "GET /directory//people/{key}/1",
      "GET /directory/peple/{key}", "GET /Directory/People/{key}", "GET /{key}", "GET /directory/people{key}",
      "GET /directory/people/./{key}", "GET /directory/people/{key}%00", "GET /directory/people/{escaped}",
      "GET /directory/peple/{escaped}", "GET /directory/people/%20{key}", "GET /directory/people/'{key}'",
      "GET /directory/people?key={key}", "GET /directory/people/1?{key}",
      "GET /directory/users?user=a&key={key}",
      "GET http://localhost/directory/people/{key}", "OPTIONS /directory/people/{key}/1",
      // In the wrong place.
      "GET /directory/people/1/{key}", "DELETE /directory/people/1/{key}", "GET /directory/users/{key}",
      "GET /invasive/parks/{key}", "GET /invasive/observations/{key}", "GET /invasive/images/{key}",
    ])
  func key(request: String) throws {
    let (text, key) = try log { server, key in
      let escaped = key.utf8.map { "%\(String($0, radix: 16))" }.joined()
      let target = request.replacing("{key}", with: key).replacing("{escaped}", with: escaped)
      let response = try server.answer(target)
      if response.status >= 400 {
        #expect(!response.text.contains(key))
        #expect(!response.text.contains(escaped))
      }
    }
    let escaped = key.utf8.map { "%\(String($0, radix: 16))" }.joined()
    let lines = text.split(separator: "\n").filter { $0.contains(key) || $0.contains(escaped) }
    #expect(lines.isEmpty)
    #expect(text.contains(request.prefix { $0 != " " } + " "), "the request is in the log")
  }

  @Test(
    "a password appears neither in the log nor in an error",
    arguments: [
      "GET /directory/users?user=grace&password={password}",
      "GET /invasive/users?password={password}&user=ada",
      "GET /directory/users?user=grace&Password={password}",
      "GET /invasive/users?user=ada&pass%77ord={password}",
      "GET /directory/users?grace&{password}", "GET /directory/users?user=grace&&password={password}&limit=1",
      "GET /directory/users/?user=nobody&password={password}",
      "GET /directory/user?user=a&password={password}",
      "PUT /directory/users?user=grace&password={password}",
      "HEAD /invasive/users?user=a&password={password}",
      "GET /invasive/species?password={password}", "GET /invasive/users?user=a&password=%zz{password}",
      "GET /invasive/users%3Fuser=a&password={password}", "GET /invasive/users/user=a&password={password}",
      "GET /invasive/users&user=a&password={password}", "GET /invasive/users#password={password}",
      "GET /invasive/users?user=a:{password}", "GET /invasive/users?user=a%20{password}",
      "GET /invasive/observations?limit={password}", "GET /directory/users/ada/{password}",
      "GET /directory/users,{password}", "PASS={password} /directory/users",
      "GET /invasive/users?user=a?password={password}", "GET /invasive/users?user=a;password={password}",
    ])
  func password(request: String) throws {
    let (text, _) = try log { server, _ in
      let response = try server.answer(request.replacing("{password}", with: Self.password))
      if response.status >= 400 { #expect(!response.text.contains(Self.password)) }
    }
    let lines = text.split(separator: "\n").filter { $0.contains(Self.password) }
    #expect(lines.isEmpty)
    let method = request.prefix { $0 != " " }
    #expect(text.contains((method.contains("=") ? "‹method›" : method) + " "), "the request is in the log")
  }

  @Test(
    "a body's password appears neither in the log nor in an error",
    arguments: [
      (#"{"name":"grace","password":"{password}"}"#, 409), (#"{"password":"{password}"}"#, 400),
      (#"{"name":"x","password":"{password}""#, 400), (#"{"name":5,"password":"{password}"}"#, 400),
      (#"{"name":"x","password":["{password}"]}"#, 400), ("name=x&password={password}", 400),
      (#""{password}""#, 400),
    ])
  func body(body: String, status: Int) throws {
    let (text, _) = try log { server, _ in
      let response = try server.answer(
        "POST /directory/users", body.replacing("{password}", with: Self.password))
      #expect(response.status == status)
      #expect(!response.text.contains(Self.password))
    }
    #expect(!text.contains(Self.password))
    #expect(text.contains("status=\(status)"))
  }
}
