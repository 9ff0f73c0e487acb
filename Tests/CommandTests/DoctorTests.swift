import Foundation
import SQLite
import TestSupport
import Testing

@Suite("understudy doctor")
struct DoctorTests {
  /// Runs it on a folder, with a port that is free where none is said.
  private func examine(
    _ folder: DataFolderUnderTest, _ arguments: String..., launcher: [String] = [], temporary: String? = nil
  ) throws -> (status: Int32, lines: [String]) {
    let port = arguments.contains("--port") ? [] : ["--port", "0"]
    var environment = ["UNDERSTUDY_DATA": folder.path]
    if let temporary { environment["TMPDIR"] = temporary }
    let (status, output, errors) = try ServerProcess.run(
      ["doctor"] + port + arguments, environment: environment, launcher: launcher)
    #expect(errors == "")
    let lines = output.split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { $0.hasPrefix("ok  ") || $0.hasPrefix("!!  ") })
    #expect((status == 0) == lines.allSatisfy { $0.hasPrefix("ok") })
    return (status, lines)
  }

  /// A folder that a server has had, with a user and an observation.
  private func used() throws -> DataFolderUnderTest {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    try fill(server)
    server.end()
    return folder
  }

  private func fill(_ server: ServerProcess) throws {
    #expect(try server.signUp("ada").status == 200)
    let sighting = #"{"user":1,"species":1,"park":1,"comment":"","date":""}"#
    #expect(try server.answer("POST", "/invasive/observations", sighting).status == 200)
  }

  private func contents(_ folder: DataFolderUnderTest) -> [String: Data] {
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return Dictionary(
      uniqueKeysWithValues: names.map { name in
        (name, (try? Data(contentsOf: folder.url.appending(path: name))) ?? Data())
      })
  }

  @Test("where nothing is there yet all is well, and nothing is made")
  func nothing() throws {
    let folder = try DataFolderUnderTest()
    let (status, lines) = try examine(folder)
    #expect(status == 0, "\(lines)")
    for name in ["SQLite", "libmicrohttpd", "libsodium", "GnuTLS", "libcurl"] {
      #expect(lines.contains { $0.wholeMatch(of: try! Regex("ok  \(name) \\d+\\.\\d+.*")) != nil }, "\(name)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test("beside a running server it sees that the ports are its, and changes nothing")
  func running() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve(["--https", "0", "--name", "localhost"])
    try fill(server)
    let before = contents(folder)
    let (status, lines) = try examine(
      folder, "--port", "\(server.port)", "--https", "\(server.httpsPort)", "--name", "localhost")
    #expect(status == 0, "\(lines)")
    for port in [server.port, server.httpsPort] {
      #expect(lines.contains("ok  port \(port) is the server's that has this data folder"))
    }
    #expect(lines.contains { $0.hasPrefix("ok  the database is sound") })
    #expect(lines.contains { $0.hasPrefix("ok  the server's certificate is good") })
    #expect(lines.contains { $0.hasPrefix("ok  localhost leads to this machine") })
    for (name, bytes) in contents(folder) where !name.hasSuffix("-shm") { #expect(before[name] == bytes) }
    // Another folder's server is not the one.
    let other = try examine(try DataFolderUnderTest(), "--port", "\(server.port)")
    #expect(other.status == 1)
    #expect(
      other.lines.contains { $0.contains("held by an Understudy of another data folder: stop that one") })
    server.end()
  }

  @Test("without a server, one that has ended or was killed, it reads the database and leaves all as it was")
  func stopped() throws {
    for isKilled in [false, true] {
      let folder = try DataFolderUnderTest()
      let server = try folder.serve()
      try fill(server)
      server.signal(isKilled ? SIGKILL : SIGTERM)
      _ = server.wait()
      let before = contents(folder)
      #expect((before["understudy.sqlite-wal"]?.isEmpty == false) == isKilled)
      let temporary = folder.beside("temporary")
      try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
      let (status, lines) = try examine(folder, temporary: temporary.path)
      #expect(status == 0, "\(lines)")
      #expect(lines.contains { $0.hasPrefix("ok  the database is sound") })
      #expect(contents(folder) == before)
      #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
    }
  }

  /// What is done to a folder, and what is said of it then.
  struct Trouble: Sendable, CustomStringConvertible {
    let description: String
    var arguments: [String] = []
    let said: String
    let make: @Sendable (DataFolderUnderTest) throws -> Void
  }

  private static func chmod(_ name: String, _ mode: Int) -> @Sendable (DataFolderUnderTest) throws -> Void {
    { folder in
      let path = folder.url.appending(path: name).path
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
  }

  static let troubles = [
    Trouble(description: "an open folder", said: ": chmod 700 ", make: chmod("", 0o755)),
    Trouble(
      description: "an open database", said: "(mode 640): chmod 600 ", make: chmod("understudy.sqlite", 0o640)
    ),
    Trouble(
      description: "a folder that can't be written to", said: "(mode 500): chmod 700 /",
      make: chmod("", 0o500)),
    Trouble(
      description: "a database that can't be written to", said: "(mode 400): chmod 600 /",
      make: chmod("understudy.sqlite", 0o400)),
    Trouble(
      description: "a folder of pictures that can't be written to", said: "(mode 500): chmod 700 /",
      make: chmod("images", 0o500)),
    Trouble(description: "an open key", said: "tls/ca.key is open to other users") { folder in
      #expect(try folder.run("certificate", "--new-authority").status == 0)
      try chmod("tls/ca.key", 0o644)(folder)
    },
    Trouble(description: "a damaged database", said: "put a backup in its place") { folder in
      let file = try FileHandle(forUpdating: folder.url.appending(path: "understudy.sqlite"))
      try file.seek(toOffset: 4096)
      try file.write(contentsOf: Data(repeating: 0xA5, count: 20_000))
      try file.close()
    },
    Trouble(description: "an index that isn't its table's", said: "is damaged (") { folder in
      let database = folder.url.appending(path: "understudy.sqlite").path
      try Connection(path: database, access: .readWrite).execute(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET rootpage = (
          SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_directory_user_1')
        WHERE name = 'sqlite_autoindex_user_1';
        """)
    },
    Trouble(description: "a row without the one that it refers to", said: "1 rows of observation refer") {
      folder in
      let database = folder.url.appending(path: "understudy.sqlite").path
      let connection = try Connection(path: database, access: .readWrite)
      try connection.execute("PRAGMA foreign_keys = OFF; DELETE FROM user")
    },
    Trouble(description: "another program's database", said: "of another program: choose another folder") {
      folder in
      let database = folder.url.appending(path: "understudy.sqlite").path
      try Connection(path: database, access: .readWrite).execute("PRAGMA application_id = 7")
    },
    Trouble(description: "a newer database", said: "newer version of this program (schema 99)") { folder in
      let database = folder.url.appending(path: "understudy.sqlite").path
      try Connection(path: database, access: .readWrite).execute("PRAGMA user_version = 99")
    },
    Trouble(
      description: "a disk below its threshold", arguments: ["--disk-threshold", "\(1 << 50)"],
      said: "less than 1024 TiB: make room", make: { _ in }),
    Trouble(
      description: "a name that leads nowhere", arguments: ["--name", "nothing.invalid"],
      said: "nothing.invalid leads nowhere from this machine: sudo understudy hosts --apply", make: { _ in }),
    Trouble(description: "a clock that is late", said: "was written later, at") { folder in
      try FileManager.default.setAttributes(
        [.modificationDate: Date.now + 86_400],
        ofItemAtPath: folder.url.appending(path: "understudy.sqlite").path)
    },
    Trouble(
      description: "a certificate that isn't there",
      arguments: ["--https", "0", "--tls-cert", "/nothing/here.pem", "--tls-key", "/nothing/key.pem"],
      said: "can't read /nothing/here.pem", make: { _ in }),
  ]

  @Test("what isn't well is told with what to do, and the rest is ok", arguments: troubles)
  func trouble(_ trouble: Trouble) throws {
    let folder = try used()
    try trouble.make(folder)
    let before = contents(folder)
    let (status, output, _) = try folder.run(["doctor", "--port", "0"] + trouble.arguments)
    let lines = output.split(separator: "\n")
    #expect(status == 1)
    let problems = lines.filter { $0.hasPrefix("!!") }
    #expect(problems.count == 1 && problems[0].contains(trouble.said), "\(problems)")
    #expect(contents(folder) == before)
  }

  @Test("a port that another program has is told")
  func heldPort() throws {
    let listener = socket(AF_INET6, sockStream, 0)
    defer { close(listener) }
    #expect(listen(listener, 1) == 0)
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
    }
    let port = UInt16(bigEndian: address.sin6_port)
    let (status, lines) = try examine(try DataFolderUnderTest(), "--port", "\(port)")
    #expect(status == 1)
    #expect(
      lines.contains(
        "!!  port \(port) is held by another program: stop that one, or choose another port with --port"))
  }

  private var sockStream: Int32 {
    #if canImport(Darwin)
      SOCK_STREAM
    #else
      Int32(SOCK_STREAM.rawValue)
    #endif
  }

  #if os(Linux)
    @Test(
      "an authority that has ended, or will soon, is told",
      .enabled(if: !isSanitized, "libfaketime and a sanitizer each have to be loaded before the other"))
    func oldAuthority() throws {
      let folder = try used()
      #expect(try folder.run("certificate", "--new-authority").status == 0)
      for days in [3600, 3700] {
        // The library spoils the environment of the first program that it is in.
        let shell = ["/bin/sh", "-c", #"exec "$0" "$@""#]
        let (status, lines) = try examine(folder, launcher: ["/usr/bin/faketime", "-f", "+\(days)d"] + shell)
        #expect(status == 1)
        let problems = lines.filter { $0.hasPrefix("!!") }
        #expect(problems.count == 1 && problems[0].contains("--new-authority"), "\(lines)")
      }
    }
  #endif
}
