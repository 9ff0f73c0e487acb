import Foundation
import HTTPClient
import Testing
import UnderstudyTesting

@Suite("The HTTP client")
struct HTTPClientTests {
  @Test("gives status, fields and body of an answer, whatever the status")
  func answer() throws {
    let server = try TestServer()
    defer { server.stop() }
    let client = try HTTPClient()
    let species = try client.send(.init("GET", server.url + "/invasive/species"))
    #expect(species.status == 200)
    #expect(species["content-type"] == "application/json")
    #expect(species["ETag"]?.isEmpty == false)
    #expect((try JSONSerialization.jsonObject(with: Data(species.body)) as? [Any])?.count == 48)
    let missing = try client.send(.init("GET", server.url + "/nowhere"))
    #expect(missing.status == 404)
    #expect(missing["Content-Type"] == "application/problem+json")
    let head = try client.send(.init("HEAD", server.url + "/invasive/species"))
    #expect(head.status == 200)
    #expect(head.body.isEmpty)
  }

  @Test("sends a body, an empty one too, as JSON")
  func bodies() throws {
    let server = try TestServer()
    defer { server.stop() }
    let client = try HTTPClient()
    var request = HTTPClient.Request("POST", server.url + "/invasive/users")
    request.body = Array(#"{"username":"ada","password":"lovelace"}"#.utf8)
    #expect(try client.send(request).status == 200)
    request.body = []
    let refused = try client.send(request)
    #expect(refused.status == 400)
    #expect(String(decoding: refused.body, as: UTF8.self).contains("the body is empty"))
    // The last request's body isn't this one's.
    #expect(try client.send(.init("GET", server.url + "/invasive/parks")).status == 200)
  }

  @Test("hands a body on as it comes, and ends where its taker has enough")
  func pieces() throws {
    let server = try TestServer()
    defer { server.stop() }
    let client = try HTTPClient()
    let request = HTTPClient.Request("GET", server.url + "/invasive/species")
    let whole = try client.send(request).body
    var taken: [UInt8] = []
    let answer = try client.send(request) { piece in
      taken += piece
      return true
    }
    #expect(answer.body.isEmpty)
    #expect(taken == whole)
    #expect(throws: HTTPClient.Failure.self) { try client.send(request) { _ in false } }
    let failure = #expect(throws: HTTPClient.Failure.self) {
      try client.send(request, limit: whole.count - 1)
    }
    #expect(failure?.description == "the answer is longer than \(whole.count - 1) bytes")
    #expect(try client.send(request, limit: whole.count).body == whole)
  }

  @Test("says where nobody listens")
  func unreachable() throws {
    let server = try TestServer()
    let url = server.url
    server.stop()
    let failure = #expect(throws: HTTPClient.Failure.self) {
      try HTTPClient().send(.init("GET", url + "/invasive/species"))
    }
    #expect(failure?.isUnreachable == true)
    #expect(failure?.description.contains("connect") == true)
    var request = HTTPClient.Request("GET", "http://localhost/")
    request.unixSocket = "/nonexistent/socket"
    let missing = #expect(throws: HTTPClient.Failure.self) { try HTTPClient().send(request) }
    #expect(missing?.isUnreachable == true)
  }

  @Test("trusts who it is told to trust, and nobody else")
  func encrypted() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try TestServer {
      $0.httpsPorts = [0]
      $0.dataFolder = folder.path
    }
    defer { server.stop() }
    var request = HTTPClient.Request("GET", "https://localhost:\(server.httpsPorts[0])/invasive/species")
    #expect(throws: HTTPClient.Failure.self) { try HTTPClient().send(request) }
    request.trustedCertificates = folder.path + "/tls/ca.pem"
    #expect(try HTTPClient().send(request).status == 200)
  }

  @Test("speaks HTTP alone, and sends no field that ends before its line does")
  func limits() throws {
    let client = try HTTPClient()
    let failure = #expect(throws: HTTPClient.Failure.self) {
      try client.send(.init("GET", "file:///etc/hosts"))
    }
    #expect(failure?.isUnreachable == false)
    var request = HTTPClient.Request("GET", "http://127.0.0.1:1/")
    request.fields = [("X-Name", "a\r\nX-Other: b")]
    let split = #expect(throws: HTTPClient.Failure.self) { try client.send(request) }
    #expect(split?.description == "a header field holds a control character")
  }
}
