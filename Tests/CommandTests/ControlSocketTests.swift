import Foundation
import TestSupport
import Testing

@Suite("the control socket")
struct ControlSocketTests {
  private func requireList(_ folder: DataFolderUnderTest, launcher: [String] = []) throws {
    let (status, output, errors) = try folder.run("users", "list", "--app", "invasive", launcher: launcher)
    #expect(status == 0)
    #expect(errors.isEmpty, "\(errors)")
    #expect(output.contains("ada"))
  }

  @Test("a command asks the server that has the folder, and does it itself where there is none")
  func bothWays() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    #expect(try server.signUp("ada").status == 200)
    try requireList(folder)
    #expect(try folder.mode("control.sock") == 0o600)
    server.end()
    // It was the server that was asked: by its end all of its log is there.
    #expect(server.log.contains("/users/invasive"))
    #expect(!folder.entries.contains("control.sock"))
    try requireList(folder)
    #expect(folder.entries == ["images", "understudy.sqlite"])
  }

  @Test("what a killed server has left of it is in nobody's way")
  func stale() throws {
    let folder = try DataFolderUnderTest()
    let first = try folder.serve()
    #expect(try first.signUp("ada").status == 200)
    first.signal(SIGKILL)
    #expect(first.wait() == -SIGKILL)
    #expect(folder.entries.contains("control.sock"))
    try requireList(folder)
    #expect(!folder.entries.contains("control.sock"))
    let second = try folder.serve()
    second.signal(SIGKILL)
    #expect(second.wait() == -SIGKILL)
    let third = try folder.serve()
    try requireList(folder)
    third.end()
  }

  @Test("a folder whose path is longer than a socket's address can be has one too")
  func longPath() throws {
    let folder = try DataFolderUnderTest(String(repeating: "long/", count: 40) + "data")
    let server = try folder.serve()
    #expect(try server.signUp("ada").status == 200)
    try requireList(folder)
    #expect(folder.entries.contains("control.sock"))
    server.end()
    try requireList(folder)
  }

  @Test("nothing of it is reached by a port")
  func notByPort() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    for target in ["/users/invasive", "/users/directory", "/metrics", "/backup"] {
      #expect(try server.answer("GET", target).status == 404)
      #expect(try server.answer("POST", target, "{}").status == 404)
    }
    server.end()
  }

  @Test("a folder without data is refused with a line, and not made")
  func noData() throws {
    let folder = try DataFolderUnderTest()
    let (status, output, errors) = try folder.run("users", "list", "--app", "directory")
    #expect(status == 1)
    #expect(output.isEmpty)
    #expect(
      errors
        == "understudy: there are no data of understudy in \(folder.path): say with --data which folder is meant\n"
    )
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  /// What else can have the socket's name, as it is called.
  static let others = ["a folder", "a plain file", "a link"]

  @Test(
    "where something else has its name a server serves and says so, and commands say what is so and what to do",
    arguments: others)
  func noSocket(kind: String) throws {
    let folder = try DataFolderUnderTest()
    try folder.serve().end()
    let place = folder.url.appending(path: "control.sock")
    switch kind {
    case "a folder": try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    case "a plain file": try Data("somebody's".utf8).write(to: place)
    default:
      try FileManager.default.createSymbolicLink(at: place, withDestinationURL: folder.beside("elsewhere"))
    }
    let said =
      "\(folder.path)/control.sock, by which commands ask a server, is \(kind) and no socket: move it away"
    let server = try folder.serve(["--log-format", "text"])
    #expect(try server.signUp("ada").status == 200)
    #expect(
      server.log.contains("commands such as users and backup can't reach this server: no control socket"))
    #expect(server.log.contains(said))
    let (status, _, errors) = try folder.run("users", "list", "--app", "invasive")
    #expect(status == 1 && errors.contains(said), "\(errors)")
    #expect(errors.split(separator: "\n").count == 1)
    server.end()
    let alone = try folder.run("users", "list", "--app", "invasive")
    #expect(alone.status == 1)
    #expect(alone.errors.hasPrefix("understudy: \(said)"), "\(alone.errors)")
    #expect(alone.errors.split(separator: "\n").count == 1)
    // What it is stays: nobody knows whose.
    #expect(folder.entries == ["control.sock", "images", "understudy.sqlite"])
  }

  #if os(Linux)
    @Test(
      "another user can't use it, and is told whose it is",
      .enabled(if: OtherUser.isAvailable))
    func otherUser() throws {
      let folder = try DataFolderUnderTest()
      let server = try folder.serve()
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
      let nobody = OtherUser.launcher(OtherUser.nobody)
      let (status, _, errors) = try folder.run("users", "list", "--app", "invasive", launcher: nobody)
      #expect(status == 1)
      #expect(
        errors
          == "understudy: the server that has \(folder.path) runs as root, and only that user may ask it: run this command as root\n"
      )
      server.end()
      let alone = try folder.run("users", "list", "--app", "invasive", launcher: nobody)
      #expect(alone.status == 1)
      #expect(
        alone.errors
          == "understudy: can't use \(folder.path): it belongs to root, and this is nobody: run this command as that user (sudo -u root understudy …)\n"
      )
    }
  #endif

  @Test("two commands at once, without a server, both come to their end")
  func twoCommands() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    #expect(try server.signUp("ada").status == 200)
    server.end()
    let path = folder.path
    let outcomes = try onThreads(Array(0..<4)) { _ in
      try (0..<5).map { _ in
        try ServerProcess.run(["users", "list", "--app", "invasive", "--data", path])
      }
    }
    for (status, output, errors) in outcomes.joined() {
      #expect(status == 0)
      #expect(errors.isEmpty, "\(errors)")
      #expect(output.contains("ada"))
    }
    #expect(folder.entries == ["images", "understudy.sqlite"])
  }
}
