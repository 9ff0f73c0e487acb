import Foundation
import SQLite
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

  private func requireReady(_ server: ServerProcess) throws {
    let response = try answer(to: "/readyz", at: server.port)
    #expect(response.status == 200 && response.text == "ok\n", "\(response.text)")
    #expect(response["Cache-Control"] == "no-store")
  }

  private func requireNotReady(_ server: ServerProcess, _ words: String...) throws {
    let response = try answer(to: "/readyz", at: server.port)
    #expect(response.status == 503)
    #expect(response["Content-Type"] == "application/problem+json")
    #expect(response["Retry-After"] != nil)
    for word in words { #expect(response.text.contains(word), "\(response.text)") }
    #expect(try answer(to: "/healthz", at: server.port).status == 200)
  }

  @Test("a ready server answers probes without a write")
  func ready() throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(["--data", folder.path])
    let files = folder.contents
    for _ in 1...20 { try requireReady(server) }
    // Neither the database nor its write-ahead log has changed.
    for (name, bytes) in folder.contents where !name.hasSuffix("-shm") { #expect(files[name] == bytes) }
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
  }

  @Test("one whose disk has less left than the threshold is not ready")
  func threshold() throws {
    let server = try ServerProcess(["--ephemeral", "--disk-threshold", "\(1 << 50)"])
    try requireNotReady(server, "left", "--disk-threshold")
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
  }

  @Test("one whose database was moved away is not ready, and is again when it is back")
  func moved() throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(["--data", folder.path])
    try requireReady(server)
    let database = folder.path + "/understudy.sqlite"
    try FileManager.default.moveItem(atPath: database, toPath: database + ".aside")
    try requireNotReady(server, "moved or deleted")
    try FileManager.default.moveItem(atPath: database + ".aside", toPath: database)
    try waitUntilReady(server)
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
  }

  /// Waits for as long as a failure is remembered, and a few times that.
  private func waitUntilReady(_ server: ServerProcess) throws {
    let end = Date.now + 20
    while try answer(to: "/readyz", at: server.port).status != 200, Date.now < end { usleep(50_000) }
    try requireReady(server)
  }

  @Test("one whose database another program holds is not ready")
  func held() throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(["--data", folder.path])
    let other = try Connection(path: folder.path + "/understudy.sqlite", access: .readWrite)
    try other.execute("BEGIN IMMEDIATE")
    // The first one waits for as long as a change would.
    try requireNotReady(server, "Another program")
    try other.execute("ROLLBACK")
    try waitUntilReady(server)
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
  }
}

#if os(Linux)
  @Suite(
    "The probes of a server on a disk that fills",
    .enabled(if: MountedDisk.isAvailable, "no disk can be mounted here: neither root nor user namespaces"))
  struct ProbeDiskTests {
    private func answer(to request: String, at port: UInt16) throws -> RawResponse {
      let client = try RawClient(port: port)
      try client.send(request)
      return try client.response()
    }

    private func probe(_ server: ServerProcess) throws -> RawResponse {
      try answer(to: "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n", at: server.port)
    }

    private func signUp(at server: ServerProcess) throws {
      let user = request("POST", "/invasive/users", #"{"username":"ada","password":"pw"}"#)
      #expect(try answer(to: user, at: server.port).status == 200)
    }

    private func upload(to server: ServerProcess) throws -> Int {
      let comment = String(repeating: "x", count: 2000)
      return try answer(
        to: request(
          "POST", "/invasive/observations",
          #"{"user":1,"species":1,"park":1,"comment":"\#(comment)","date":"2026-06-01"}"#),
        at: server.port
      ).status
    }

    @Test("a disk below the threshold makes it not ready before it is full, and room makes it ready again")
    func threshold() throws {
      let disk = try MountedDisk(size: "8m")
      let server = try ServerProcess(
        ["--data", disk.path + "/data", "--disk-threshold", "\(2 << 20)"], launcher: disk.launcher)
      #expect(try probe(server).status == 200)
      try disk.fill()
      let refusal = try probe(server)
      #expect(refusal.status == 503 && refusal.text.contains("0 bytes left, less than 2.0 MiB"))
      try disk.remove()
      #expect(try probe(server).status == 200)
      server.signal(SIGTERM)
      #expect(server.wait() == 0)
    }

    @Test("without a threshold a change that failed makes it not ready, until one is tried and written")
    func full() throws {
      let disk = try MountedDisk(size: "8m")
      let server = try ServerProcess(
        ["--data", disk.path + "/data", "--disk-threshold", "0"], launcher: disk.launcher)
      try signUp(at: server)
      try disk.fill()
      // Nothing has failed yet, and nothing is written for a probe.
      #expect(try probe(server).status == 200)
      // There is some room left in the log at first.
      var status = 200
      for _ in 1...2000 where status == 200 { status = try upload(to: server) }
      #expect(status == 507)
      let refusal = try probe(server)
      #expect(refusal.status == 503 && refusal.text.contains("found the disk full"), "\(refusal.text)")
      try disk.remove()
      // No change comes: the probes find it out.
      let end = Date.now + 20
      while try probe(server).status != 200, Date.now < end { usleep(50_000) }
      #expect(try probe(server).status == 200)
      #expect(try upload(to: server) == 200)
      server.signal(SIGTERM)
      #expect(server.wait() == 0)
    }

    @Test("a disk that is mounted read-only makes it not ready")
    func readOnly() throws {
      let disk = try MountedDisk(size: "64m")
      let server = try ServerProcess(["--data", disk.path + "/data"], launcher: disk.launcher)
      #expect(try probe(server).status == 200)
      // Where a file is open for writing only the system itself makes a disk read-only, after an error. Another one
      // in its place looks the same.
      try disk.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", disk.path + "/data"])
      let refusal = try probe(server)
      #expect(refusal.status == 503 && refusal.text.contains("read-only"), "\(refusal.text)")
      try disk.run(["umount", disk.path + "/data"])
      #expect(try probe(server).status == 200)
      server.signal(SIGTERM)
      #expect(server.wait() == 0)
    }
  }
#endif
