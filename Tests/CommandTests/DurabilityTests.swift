import Foundation
import TestSupport
import Testing

@Suite("durability")
struct DurabilityTests {
  /// A sighting that was answered 200.
  private struct Acknowledged {
    let id: Int
    let comment: String
  }

  private static func post(_ path: String, _ body: String) -> String {
    "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  /// Uploads sightings one after the other until the server is gone.
  private static func upload(to port: UInt16, as client: String, told: (Int) -> Void) -> [Acknowledged] {
    var acknowledged: [Acknowledged] = []
    guard let connection = try? RawClient(port: port) else { return [] }
    while true {
      let comment = "\(client) no. \(acknowledged.count)"
      let sighting = #"{"user":1,"species":1,"park":1,"comment":"\#(comment)","date":""}"#
      guard (try? connection.send(post("/invasive/observations", sighting))) != nil,
        let response = try? connection.response(), response.status == 200, let id = Int(response.text)
      else { return acknowledged }
      acknowledged.append(Acknowledged(id: id, comment: comment))
      told(acknowledged.count)
    }
  }

  @Test("an upload answered 200 survives kill -9")
  func kill() async throws {
    let folder = try TemporaryFolder()
    var acknowledged: [Acknowledged] = []
    for round in 1...5 {
      let server = try ServerProcess(["--data", folder.path, "--log-level", "error"])
      if round == 1 {
        let client = try RawClient(port: server.port)
        try client.send(Self.post("/invasive/users", #"{"username":"ada","password":"pw"}"#))
        #expect(try client.response().status == 200)
      }
      let port = server.port
      let inRound = await withTaskGroup(of: [Acknowledged].self) { group in
        for client in 1...8 {
          group.addTask {
            // The first client to have fifty kills the server under all the others.
            Self.upload(to: port, as: "round \(round), client \(client)") { count in
              if count == 50 { server.signal(SIGKILL) }
            }
          }
        }
        return await group.reduce(into: []) { $0 += $1 }
      }
      #expect(server.wait() == -SIGKILL)
      #expect(inRound.count >= 50)
      acknowledged += inRound
    }

    let server = try ServerProcess(["--data", folder.path])
    let client = try RawClient(port: server.port)
    var stored: [Int: String] = [:]
    var after = 0
    repeat {
      try client.send("GET /invasive/observations?limit=10000&after=\(after) HTTP/1.1\r\nHost: a\r\n\r\n")
      let rows =
        try JSONSerialization.jsonObject(with: Data(try client.response().body)) as? [[String: Any]] ?? []
      for row in rows {
        let id = try #require(row["idobservation"] as? Int)
        stored[id] = row["comment"] as? String
        after = id
      }
      if rows.isEmpty { break }
    } while true
    #expect(Set(acknowledged.map(\.id)).count == acknowledged.count)
    for one in acknowledged { #expect(stored[one.id] == one.comment) }
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
  }
}
