#if os(Linux)
  import Foundation
  import Synchronization
  import TestSupport
  import Testing

  @Suite(
    "a full disk",
    .enabled(if: MountedDisk.isAvailable, "no disk can be mounted here: neither root nor user namespaces"))
  struct FullDiskTests {
    /// A server whose data is on a small disk, with a directory.
    private final class Installation {
      let disk: MountedDisk
      let key: String
      private(set) var server: ServerProcess
      /// The names that were answered 200, by id.
      var acknowledged: [Int64: String] = [:]

      init(size: String) throws {
        disk = try MountedDisk(size: size)
        server = try ServerProcess(["--data", disk.path + "/data"], launcher: disk.launcher)
        let account = request("POST", "/directory/users", #"{"name":"ada","password":"pw"}"#)
        key = try RawClient(port: server.port).answer(to: account)?.text ?? ""
      }

      static func upload(_ name: String, key: String, bytes: Int = 3000) -> String {
        let note = String(repeating: "x", count: bytes)
        return request(
          "POST", "/directory/people/\(key)", #"{"name":"\#(name)","office":"","note":"\#(note)"}"#)
      }

      /// Adds a person.
      ///
      /// - Returns: the status.
      func add(_ name: String, on client: RawClient) throws -> Int {
        let answer = try #require(client.answer(to: Self.upload(name, key: key)))
        if answer.status == 200 { acknowledged[try #require(Int64(answer.text))] = name }
        return answer.status
      }

      func read(on client: RawClient) -> Int? {
        client.answer(to: "GET /directory/people/\(key) HTTP/1.1\r\nHost: a\r\n\r\n")?.status
      }

      /// Ends the server, starts another one, and looks for what was acknowledged.
      func requireEverything() throws {
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
        server = try ServerProcess(["--data", disk.path + "/data"], launcher: disk.launcher)
        #expect(try read(on: RawClient(port: server.port)) == 200)
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
        let stored = try StoredRows(of: disk.url.appending(path: "data"))
        #expect(stored.defects.isEmpty)
        let rows = Dictionary(uniqueKeysWithValues: stored.people.map { ($0.id, $0.name) })
        #expect(rows == acknowledged)
      }
    }

    @Test("uploads are answered 507 while it is full and 200 when there is room, and reads go on")
    func filled() throws {
      let installation = try Installation(size: "8m")
      let client = try RawClient(port: installation.server.port)
      for number in 1...20 { #expect(try installation.add("before \(number)", on: client) == 200) }
      for round in 1...3 {
        try installation.disk.fill()
        // There is some room left in the log at first.
        var refused = 0
        for number in 1...2000 where refused < 20 {
          let status = try installation.add("full \(round).\(number)", on: client)
          #expect(status == 200 || status == 507)
          if status == 507 { refused += 1 }
          if number % 10 == 0 { #expect(installation.read(on: client) == 200) }
        }
        #expect(refused == 20)
        try installation.disk.remove()
        for number in 1...20 { #expect(try installation.add("after \(round).\(number)", on: client) == 200) }
      }
      #expect(installation.server.log.contains("the disk is full"))
      try installation.requireEverything()
    }

    @Test("a disk that the uploads themselves fill loses nothing that was acknowledged")
    func filledByUploads() throws {
      let installation = try Installation(size: "8m")
      let (port, key) = (installation.server.port, installation.key)
      // Each goes on until it has been refused twenty times.
      let outcomes = try onThreads(Array(1...6)) { number in
        var acknowledged: [Int64: String] = [:]
        var statuses: [Int] = []
        let client = try RawClient(port: port)
        for upload in 1...5000 where statuses.count < 20 {
          let name = "\(number).\(upload)"
          try client.send(Installation.upload(name, key: key, bytes: 20_000))
          let answer = try client.response()
          if answer.status == 200 {
            acknowledged[try #require(Int64(answer.text))] = name
          } else {
            statuses.append(answer.status)
          }
        }
        let read = client.answer(to: "GET /directory/people/\(key)/1 HTTP/1.1\r\nHost: a\r\n\r\n")
        return (acknowledged: acknowledged, refusals: statuses, read: read?.status)
      }
      for outcome in outcomes {
        #expect(outcome.refusals.count == 20 && Set(outcome.refusals).isSubset(of: [507, 503]))
        #expect(outcome.read == 200)
        installation.acknowledged.merge(outcome.acknowledged) { _, _ in
          Issue.record("an id was given twice")
          return ""
        }
      }
      try installation.disk.remount("size=32m")
      #expect(try installation.add("at last", on: RawClient(port: port)) == 200)
      try installation.requireEverything()
    }

    @Test("a folder on a disk that is read-only is refused in one line, and nothing in it is touched")
    func readOnly() throws {
      let installation = try Installation(size: "8m")
      try installation.requireEverything()
      try installation.disk.remount("ro")
      let (status, _, errors) = try ServerProcess.run(
        ["serve", "--port", "0", "--data", installation.disk.path + "/data"],
        launcher: installation.disk.launcher)
      #expect(status == 1)
      #expect(errors.contains("can't use the data folder") && errors.contains("Read-only"))
      #expect(errors.split(separator: "\n").count == 1)
    }
  }
#endif
