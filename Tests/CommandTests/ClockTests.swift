#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// What gives a program another time.
  private let library: String? = {
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
    return folders.map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" }
      .first { FileManager.default.fileExists(atPath: $0) }
  }()

  @Suite(
    "the wall clock",
    .enabled(if: !isSanitized, "libfaketime and a sanitizer each have to be loaded before the other"))
  struct ClockTests {
    @Test("a jump of ten years and back stops nothing, and no request is forgotten or counts twice")
    func jumps() throws {
      let library = try #require(library, "libfaketime isn't installed: script/bootstrap --clients")
      let folder = try TemporaryFolder()
      let time = folder.url.appending(path: "time")
      let environment = [
        "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": time.path, "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
      ]
      func jump(_ offset: String) throws { try Data("\(offset)\n".utf8).write(to: time) }
      let sighting = #"{"user":1,"species":1,"park":1,"comment":"once","date":""}"#
      let once = request("POST", "/invasive/observations", sighting, key: "\"once\"")
      func status(of request: String, on client: RawClient) -> Int? { client.answer(to: request)?.status }

      try jump("+0")
      for start in 1...2 {
        // The library changes the environment of the first program that it is in, and Swift looks for
        // the arguments beside it: the shell is the first.
        let server = try ServerProcess(
          ["--data", folder.path + "/data"], environment: environment,
          launcher: ["/bin/sh", "-c", #"exec "$0" "$@""#])
        defer {
          for name in ["faketime_shm_", "sem.faketime_sem_"] {
            unlink("/dev/shm/\(name)\(server.processIdentifier)")
          }
        }
        let client = try RawClient(port: server.port)
        if start == 1 {
          let user = request("POST", "/invasive/users", #"{"username":"ada","password":"pw"}"#)
          #expect(status(of: user, on: client) == 200)
        }
        #expect(client.answer(to: once)?.text == "1")
        for (offset, year) in [("+3650d", 10), ("-3650d", -10), ("+0", 0)] {
          try jump(offset)
          // The connection of before the jump is as good as a new one.
          for client in [client, try RawClient(port: server.port)] {
            let answer = try #require(
              client.answer(to: "GET /invasive/observations/1 HTTP/1.1\r\nHost: a\r\n\r\n"))
            #expect(answer.status == 200)
            // The jump has reached the program.
            let now = Calendar(identifier: .gregorian).component(.year, from: Date())
            #expect(answer["Date"]?.contains(" \(now + year) ") == true || year != 0)
            #expect(status(of: request("POST", "/invasive/observations", sighting), on: client) == 200)
            #expect(client.answer(to: once)?.text == "1")
          }
          try requireLine(of: year, in: server, client)
        }
        // The next start is in the past.
        try jump("-3650d")
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
      }
    }

    /// The log's lines have the time that it is, some milliseconds after a jump at the latest.
    private func requireLine(of years: Int, in server: ServerProcess, _ client: RawClient) throws {
      let year = Calendar(identifier: .gregorian).component(.year, from: Date()) + years
      func isThere() -> Bool {
        server.log.split(separator: "\n").contains {
          $0.contains(#""time":"\#(year)-"#) && $0.contains("/invasive/parks/1")
        }
      }
      let deadline = Date().addingTimeInterval(20)
      while !isThere(), Date() < deadline {
        _ = client.answer(to: "GET /invasive/parks/1 HTTP/1.1\r\nHost: a\r\n\r\n")
      }
      #expect(isThere(), "\(server.log.suffix(300))")
    }
  }
#endif
