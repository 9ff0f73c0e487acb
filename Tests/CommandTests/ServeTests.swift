import Foundation
import TestSupport
import Testing

/// A folder that goes with the test.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "understudy-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  var path: String { url.path }

  /// Every file below it with its bytes.
  var contents: [String: Data] {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return Dictionary(
      uniqueKeysWithValues: names.map { ($0, (try? Data(contentsOf: url.appending(path: $0))) ?? Data()) })
  }
}

@Suite("understudy serve")
struct ServeTests {
  private func status(of target: String, at port: UInt16, ipv6: Bool = false) throws -> Int {
    let client = try RawClient(port: port, ipv6: ipv6)
    try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return try client.response().status
  }

  @Test("listens on IPv4 and IPv6 and prints each address")
  func addresses() throws {
    let server = try ServerProcess(["--ephemeral"])
    #expect(server.lines.allSatisfy { $0.wholeMatch(of: #/listening on http://[^ /]+:\d+/#) != nil })
    #expect(server.lines.last == "listening on http://localhost:\(server.port)")
    #expect(try status(of: "/", at: server.port) == 200)
    #expect(try status(of: "/", at: server.port, ipv6: true) == 200)
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
  }

  @Test("takes as many connections as there can be open files, and says how many are needed at least")
  func openFiles() throws {
    func start(openFiles: Int) throws -> ServerProcess {
      try ServerProcess(
        ["--ephemeral"], launcher: ["/bin/sh", "-c", "ulimit -n \(openFiles) && exec \"$0\" \"$@\""])
    }
    #expect {
      try start(openFiles: 100)
    } throws: {
      "\($0)".contains("100 open files are allowed, and 144 are needed at least")
    }
    let server = try start(openFiles: 200)
    #expect(server.log.contains("200 open files are allowed: 72 connections at a time"))
    #expect(try status(of: "/", at: server.port) == 200)
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
  }

  @Test("recommends a public URL that stays, behind the lines with the addresses")
  func lastingURL() throws {
    let server = try ServerProcess(["--ephemeral"])
    // Where no line comes, the output ends.
    server.signal(SIGTERM)
    let machine = ProcessInfo.processInfo.hostName.prefix { $0 != "." }.lowercased()
    #expect(try server.nextLine().hasSuffix("--public-url http://\(machine).local:\(server.port)"))
    #expect(server.wait() == 0)
    // Where a name is stood in for, that is the one.
    let secure = try ServerProcess(["--ephemeral", "--https", "0", "--name", "127.0.0.1,cmsc106.net"])
    secure.signal(SIGTERM)
    #expect(try secure.nextLine().hasSuffix("--public-url https://cmsc106.net:\(secure.httpsPort)"))
    #expect(secure.wait() == 0)
    // Who has chosen one, or serves this machine alone, is told nothing: the output ends.
    for arguments in [["--public-url", "https://cmsc106.net"], ["--host", "127.0.0.1"]] {
      let server = try ServerProcess(["--ephemeral"] + arguments)
      server.signal(SIGTERM)
      #expect(throws: ServerProcess.Failure.self) { try server.nextLine() }
      #expect(server.wait() == 0)
    }
  }

  @Test("ends cleanly when it is told to", arguments: [SIGTERM, SIGINT, SIGHUP])
  func signals(number: Int32) throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(["--data", folder.path])
    // An idle connection that is kept alive holds up nothing.
    let client = try RawClient(port: server.port)
    try client.send("GET /invasive/parks HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(try client.response().status == 200)
    server.signal(number)
    #expect(server.wait() == 0)
    #expect(client.isClosedByServer())
    // The write-ahead log has gone into the database.
    #expect(folder.contents.keys.sorted() == ["images", "understudy.sqlite"])
  }

  @Test("ends although clients went away while their changes waited")
  func vanishedClients() throws {
    let server = try ServerProcess(["--ephemeral"])
    let key = try RawClient(port: server.port)
    let account = #"{"name":"ada","password":"pw"}"#
    try key.send(
      "POST /directory/users HTTP/1.1\r\nHost: a\r\nContent-Length: \(account.utf8.count)\r\n\r\n\(account)")
    let people = "/directory/people/\(try key.response().text)"
    // With the server held, request and farewell are both there when it looks.
    server.signal(SIGSTOP)
    let clients = try (1...20).map { _ in try RawClient(port: server.port) }
    for client in clients {
      try client.send("POST \(people) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}")
      client.finishSending()
    }
    server.signal(SIGCONT)
    for client in clients { #expect(client.isClosedByServerInTheEnd()) }
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
  }

  @Test("keeps what it has in its folder, over a restart")
  func restart() throws {
    let folder = try TemporaryFolder()
    let data = folder.path + "/deep/data"
    for expected in ["1", "2"] {
      let server = try ServerProcess(["--data", data])
      let client = try RawClient(port: server.port)
      if expected == "1" {
        let user = #"{"username":"ada","password":"pw"}"#
        try client.send(
          "POST /invasive/users HTTP/1.1\r\nHost: a\r\nContent-Length: \(user.utf8.count)\r\n\r\n\(user)")
        #expect(try client.response().status == 200)
      }
      let sighting = #"{"user":1,"species":1,"park":1,"comment":"","date":""}"#
      try client.send(
        "POST /invasive/observations HTTP/1.1\r\nHost: a\r\nContent-Length: \(sighting.utf8.count)\r\n\r\n\(sighting)"
      )
      #expect(try client.response().text == expected)
      server.signal(SIGTERM)
      #expect(server.wait() == 0)
    }
    let mode = try FileManager.default.attributesOfItem(atPath: data + "/understudy.sqlite")[
      .posixPermissions]
    #expect((mode as? NSNumber)?.intValue == 0o600)
  }

  @Test("removes an ephemeral folder at the end")
  func ephemeral() throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess([], environment: ["UNDERSTUDY_EPHEMERAL": "true", "TMPDIR": folder.path])
    #expect(folder.contents.keys.contains { $0.hasSuffix("/understudy.sqlite") })
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
    #expect(folder.contents.isEmpty)
  }

  @Test("takes the option where the environment says otherwise")
  func precedence() throws {
    let folder = try TemporaryFolder()
    let (mine, other) = (folder.path + "/mine", folder.path + "/other")
    let server = try ServerProcess(["--data", mine], environment: ["UNDERSTUDY_DATA": other])
    #expect(FileManager.default.fileExists(atPath: mine + "/understudy.sqlite"))
    #expect(!FileManager.default.fileExists(atPath: other))
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
  }

  @Test("refuses a port that is in use, and touches nothing")
  func portInUse() throws {
    let server = try ServerProcess(["--ephemeral"])
    let folder = try TemporaryFolder()
    let (status, _, errors) = try ServerProcess.run(
      ["serve", "--port", "\(server.port)", "--data", folder.path + "/data"])
    #expect(status == 1)
    #expect(errors.contains("port \(server.port) is in use") && errors.contains("--port"))
    #expect(errors.split(separator: "\n").count == 1)
    #expect(folder.contents.isEmpty)
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
  }

  @Test("refuses a data folder that another server has")
  func folderInUse() throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(["--data", folder.path])
    let (status, _, errors) = try ServerProcess.run(["serve", "--port", "0", "--data", folder.path])
    #expect(status == 1)
    #expect(errors.contains("in use by another server"))
    #expect(try self.status(of: "/invasive/parks", at: server.port) == 200)
    server.signal(SIGKILL)
    #expect(server.wait() == -SIGKILL)
    // The lock goes with the process, however that ended.
    let next = try ServerProcess(["--data", folder.path])
    next.signal(SIGTERM)
    #expect(next.wait() == 0)
  }

  @Test(
    "refuses a database that isn't its own, and touches nothing",
    arguments: [
      ("text", "is not a SQLite database"), ("foreign", "a database of another program"),
      ("newer", "a newer version of this program"),
    ])
  func databases(kind: String, reason: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "understudy.sqlite")
    switch kind {
    case "text": try Data("Dear diary, today I saw a purple loosestrife.".utf8).write(to: file)
    default:
      let server = try ServerProcess(["--data", folder.path])
      server.signal(SIGTERM)
      #expect(server.wait() == 0)
      try FileManager.default.removeItem(at: folder.url.appending(path: "images"))
      // The header's fields user_version (60) and application_id (68).
      var bytes = try Data(contentsOf: file)
      bytes[kind == "newer" ? 63 : 71] &+= 1
      try bytes.write(to: file)
    }
    let before = folder.contents
    let (status, _, errors) = try ServerProcess.run(["serve", "--port", "0", "--data", folder.path])
    #expect(status == 1)
    #expect(errors.contains(reason))
    #expect(errors.contains("--data"))
    #expect(errors.split(separator: "\n").count == 1)
    #expect(folder.contents == before)
  }

  @Test("refuses a pipe in the database's place instead of waiting for its other end")
  func pipe() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder.path + "/understudy.sqlite", 0o600) == 0)
    let (status, _, errors) = try ServerProcess.run(["serve", "--port", "0", "--data", folder.path])
    #expect(status == 1)
    #expect(errors.contains("it is not a regular file"))
  }

  @Test("refuses changes once its database has been deleted under it")
  func deleted() throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(["--data", folder.path])
    let client = try RawClient(port: server.port)
    let sighting = #"{"user":1,"species":1,"park":1,"comment":"","date":""}"#
    let upload =
      "POST /invasive/observations HTTP/1.1\r\nHost: a\r\nContent-Length: \(sighting.utf8.count)\r\n\r\n\(sighting)"
    try client.send(upload)
    #expect(try client.response().status == 422)
    try FileManager.default.removeItem(at: folder.url.appending(path: "understudy.sqlite"))
    try client.send(upload)
    #expect(try client.response().status == 503)
    #expect(try status(of: "/invasive/parks", at: server.port) == 200)
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
    #expect(server.log.contains("the database file was moved or deleted while the server runs"))
  }

  @Test("ends at once at the second signal, and leaves no ephemeral folder")
  func secondSignal() throws {
    let folder = try TemporaryFolder()
    let server = try ServerProcess(["--ephemeral"], environment: ["TMPDIR": folder.path])
    // A request that never comes in whole would hold up the end for ten seconds.
    let client = try RawClient(port: server.port)
    try client.send(
      "POST /invasive/observations HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n")
    #expect(try client.response().status == 100)
    server.signal(SIGTERM)
    // The end has begun when new connections are closed without an answer.
    while let probe = try? RawClient(port: server.port),
      (try? probe.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")) != nil,
      (try? probe.response().status) == 200
    {}
    server.signal(SIGTERM)
    #expect(server.wait() == 128 + SIGTERM)
    #expect(folder.contents.isEmpty)
  }

  @Test("refuses a folder that is a file, and an address that isn't this machine's")
  func impossible() throws {
    let folder = try TemporaryFolder()
    try Data("x".utf8).write(to: folder.url.appending(path: "file"))
    let (status, _, errors) = try ServerProcess.run(["serve", "--port", "0", "--data", folder.path + "/file"])
    #expect(status == 1)
    #expect(errors.contains("it is not a folder"))
    let (second, _, complaint) = try ServerProcess.run([
      "serve", "--port", "0", "--host", "203.0.113.1", "--ephemeral",
    ])
    #expect(second == 1)
    #expect(complaint.contains("is not an address or name of this machine"))
  }
}
