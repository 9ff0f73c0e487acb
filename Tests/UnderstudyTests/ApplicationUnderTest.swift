import Foundation
import SQLite
import TestSupport
import Testing
import UnderstudyTesting

@testable import Understudy

/// A server whose data folder outlives it, so that a test can look into it and start another.
final class ApplicationUnderTest {
  let folder: TemporaryFolder
  private var server: TestServer?

  init() throws {
    folder = try TemporaryFolder()
    try start()
  }

  deinit { server?.stop() }

  private func start() throws {
    server = try TestServer { [folder] in $0.dataFolder = folder.path }
  }

  /// Ends the server, changes its database, and starts it again.
  func restart(afterRunning sql: String = "") throws {
    server?.stop()
    server = nil
    try Connection(path: folder.path("understudy.sqlite"), access: .readWrite).execute(sql)
    try start()
  }

  /// An integer from the database.
  func integer(_ sql: String) throws -> Int64? {
    try Connection(path: folder.path("understudy.sqlite"), access: .readOnly).integer(sql)
  }

  func client() throws -> RawClient { try RawClient(port: try #require(server).port) }

  static func post(_ target: String, _ body: String, key: String? = nil) -> String {
    let field = key.map { "Idempotency-Key: \($0)\r\n" } ?? ""
    return "POST \(target) HTTP/1.1\r\nHost: a\r\n\(field)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  func post(_ target: String, _ body: String, key: String? = nil) throws -> RawResponse {
    let client = try client()
    try client.send(Self.post(target, body, key: key))
    return try client.response()
  }

  /// Signs a user of the invasive species app up.
  func signUp(_ name: String, password: String = "secret") throws {
    let answer = try post("/invasive/users", #"{"username":"\#(name)","password":"\#(password)"}"#)
    #expect(answer.status == 200, "\(answer.text)")
  }
}
