import Foundation
import TestSupport
import Testing
import UnderstudyTesting

@testable import Understudy

/// Each in a process of its own, which a mistake may end.
@Suite("A server inside a test", .timeLimit(.minutes(1)))
struct TestServerTests {
  @Test("servers beside each other have ports and data of their own")
  func several() throws {
    let (one, two) = (try TestServer(), try TestServer())
    #expect(one.port != two.port)
    for server in [one, two] {
      let client = try RawClient(port: server.port)
      try client.send(ApplicationUnderTest.post("/directory/users", #"{"name":"ada","password":"x"}"#))
      #expect(try client.response().status == 200)
      #expect(server.url == "http://127.0.0.1:\(server.port)")
      server.stop()
    }
  }

  @Test("its data go with it")
  func data() async {
    await #expect(processExitsWith: .success) {
      let parent = try TemporaryFolder()
      setenv("TMPDIR", parent.path, 1)
      var server: TestServer? = try TestServer()
      #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path).count == 1)
      server?.stop()
      server = nil
      #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path).isEmpty)
    }
  }

  @Test("ending it twice does no harm")
  func twice() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<5 {
        let server = try TestServer()
        server.stop()
        server.stop()
      }
    }
  }

  @Test("one that is let go of without its end does no harm")
  func forgotten() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<5 {
        let port: UInt16
        do {
          let server = try TestServer()
          port = server.port
          let client = try RawClient(port: port)
          try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
          #expect(try client.response().status == 200)
        }
        // Whether anybody still answers doesn't matter.
        guard let client = try? RawClient(port: port) else { continue }
        try client.send("GET /invasive/parks HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try? client.response()
      }
    }
  }
}
