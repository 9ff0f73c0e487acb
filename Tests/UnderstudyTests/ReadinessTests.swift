import Foundation
import SQLite
import TestSupport
import Testing
import UnderstudyTesting

@testable import Understudy

@Suite("Readiness")
struct ReadinessTests {
  private static let probe = "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test("a server whose writer hangs says so at once, however long that takes")
  func hanging() throws {
    let folder = try TemporaryFolder()
    let server = try TestServer {
      $0.dataFolder = folder.path
      $0.writerPatience = 0.05
    }
    defer { server.stop() }
    let holder = try Connection(path: folder.path("understudy.sqlite"), access: .readWrite)
    try holder.execute("BEGIN IMMEDIATE")
    let (first, second) = (try RawClient(port: server.port), try RawClient(port: server.port))
    try first.send(Self.probe)
    // As soon as the writer has begun to wait for the lock, and sooner than it gives up.
    let answer = try eventually {
      usleep(100_000)
      try second.send(Self.probe)
      let answer = try second.response()
      return answer.text.contains("at one transaction") ? answer : nil
    }
    #expect(answer.status == 503 && answer["Retry-After"] != nil)
    try holder.execute("ROLLBACK")
    _ = try first.response()
  }

  @Test("a server that takes no more changes is not ready")
  func fullQueue() throws {
    let server = try TestServer { $0.writerQueue = 0 }
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    try client.send(Self.probe)
    let answer = try client.response()
    #expect(answer.status == 503 && answer.text.contains("--write-queue"))
  }

  @Test("a size is written as people read it")
  func sizes() {
    let texts = [
      0: "0 bytes", 1023: "1023 bytes", 1024: "1.0 KiB", 1536: "1.5 KiB", 32 << 20: "32 MiB",
      1 << 40: "1.0 TiB", (10 << 30) + (5 << 29): "12 GiB",
    ]
    for (bytes, text) in texts { #expect(DiskSpace.text(bytes) == text) }
  }

  private func eventually<Result>(_ body: () throws -> Result?) throws -> Result {
    for _ in 1...5 { if let result = try body() { return result } }
    return try #require(try body())
  }
}
