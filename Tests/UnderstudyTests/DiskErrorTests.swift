import Foundation
import SQLite
import TestSupport
import Testing
import UnderstudyTesting

@Suite("A server on a disk that fails")
struct DiskErrorTests {
  private static func upload(_ comment: String) -> String {
    ApplicationUnderTest.post(
      "/invasive/observations",
      #"{"user":1,"species":1,"park":1,"comment":"\#(comment)","date":"\#(String(repeating: "x", count: 200))"}"#
    )
  }

  @Test(
    "it says so while the disk fails, goes on to answer, and writes again by itself",
    arguments: [(SimulatedDisk.Fault.error, 503), (.lostSync, 503), (.full, 507)])
  func writes(fault: SimulatedDisk.Fault, status: Int) throws {
    let disk = try SimulatedDisk()
    var acknowledged: [String] = []
    do {
      let server = try TestServer { $0.dataFolder = disk.url.path }
      defer { server.stop() }
      let client = try RawClient(port: server.port)
      func answer(to request: String) throws -> RawResponse {
        try client.send(request)
        return try client.response()
      }
      let user = ApplicationUnderTest.post("/invasive/users", #"{"username":"ada","password":"pw"}"#)
      #expect(try answer(to: user).status == 200)
      for round in 1...3 {
        // Often enough for the log to be checkpointed.
        for number in 1...200 {
          let comment = "good \(round).\(number)"
          #expect(try answer(to: Self.upload(comment)).status == 200)
          acknowledged.append(comment)
        }
        disk.plan(fault)
        for number in 1...10 {
          let refusal = try answer(to: Self.upload("bad \(round).\(number)"))
          #expect(refusal.status == status)
          if status == 503 { #expect(refusal["Retry-After"] != nil) }
          #expect(try answer(to: "GET /invasive/observations/1 HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
        }
        disk.heal()
      }
      #expect(try answer(to: Self.upload("the last")).status == 200)
      acknowledged.append("the last")
    }
    #expect(disk.failures > 0)
    // At its end, and after a power cut.
    try Self.require(acknowledged, in: disk)
    try Self.require(acknowledged, in: try SimulatedDisk(files: disk.survivors(seed: 1)))
  }

  private static func require(_ comments: [String], in disk: SimulatedDisk) throws {
    let connection = try Connection(path: disk.path("understudy.sqlite"), access: .readWrite)
    #expect(try connection.rows("SELECT comment FROM observation ORDER BY id") { $0.text(0) } == comments)
    #expect(try connection.row("PRAGMA integrity_check") { $0.text(0) } == "ok")
  }

  @Test("a disk that can't be read is told, and read again once it can")
  func reads() throws {
    let disk = try SimulatedDisk()
    let server = try TestServer {
      $0.dataFolder = disk.url.path
      $0.server.threads = 1
    }
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    func status(of request: String) throws -> Int {
      try client.send(request)
      return try client.response().status
    }
    let user = ApplicationUnderTest.post("/invasive/users", #"{"username":"ada","password":"pw"}"#)
    #expect(try status(of: user) == 200)
    let list = "GET /invasive/observations HTTP/1.1\r\nHost: a\r\n\r\n"
    #expect(try status(of: list) == 200)
    // What a reader keeps in memory is out of date now.
    #expect(try status(of: Self.upload("new")) == 200)
    disk.failReads()
    #expect(try status(of: list) == 503)
    // The catalogue is in memory.
    #expect(try status(of: "GET /invasive/parks HTTP/1.1\r\nHost: a\r\n\r\n") == 200)
    disk.heal()
    #expect(try status(of: list) == 200)
  }
}
