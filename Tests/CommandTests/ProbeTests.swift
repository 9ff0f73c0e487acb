import Foundation
import TestSupport
import Testing

@Suite("The probes of a server")
struct ProbeTests {
  private func answer(to target: String, at port: UInt16, method: String = "GET") throws -> RawResponse {
    let client = try RawClient(port: port)
    try client.send("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
    return try client.response(isHEAD: method == "HEAD")
  }

  @Test("a server that serves is alive, whatever becomes of its database, and nothing keeps the answer")
  func alive() throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(["--data", folder.path])
    func requireAlive() throws {
      for method in ["GET", "HEAD"] {
        let response = try answer(to: "/healthz", at: server.port, method: method)
        #expect(response.status == 200)
        #expect(response["Cache-Control"] == "no-store")
        #expect(response.text == (method == "GET" ? "ok\n" : ""))
      }
    }
    try requireAlive()
    try FileManager.default.removeItem(atPath: folder.path + "/understudy.sqlite")
    try requireAlive()
    server.signal(SIGTERM)
    _ = server.wait()
  }
}
