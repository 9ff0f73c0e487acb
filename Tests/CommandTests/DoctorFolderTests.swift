import Foundation
import TestSupport
import Testing

@Suite("understudy doctor, beside a server and as another user")
struct DoctorFolderTests {
  private func problems(
    of folder: DataFolderUnderTest, _ arguments: String..., launcher: [String] = []
  ) throws -> (problems: [String], all: String) {
    let (status, output, errors) = try folder.run(["doctor"] + arguments, launcher: launcher)
    #expect(errors.isEmpty, "\(errors)")
    let problems = output.split(separator: "\n").map(String.init).filter { $0.hasPrefix("!!") }
    #expect((status == 0) == problems.isEmpty)
    return (problems, output)
  }

  #if os(Linux)
    @Test(
      "in a container that follows the docs all is well, as whatever user it runs",
      .enabled(if: OtherUser.isAvailable))
    func container() throws {
      let folder = try DataFolderUnderTest()
      try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
      // What the image gives a volume.
      #expect(chmod(folder.url.deletingLastPathComponent().path, 0o755) == 0)
      #expect(chmod(folder.path, 0o1777) == 0)
      let user = OtherUser.launcher(12_345)
      let server = try folder.serve(launcher: user)
      let (problems, all) = try problems(
        of: folder, "--port", "\(server.port)", "--published", "443:8443", "--name", "nowhere.example",
        launcher: user)
      #expect(problems == [])
      #expect(all.contains("ok  where nowhere.example leads is for the machine around this container to say"))
      #expect(all.contains("ok  the data folder \(folder.path) and what is in it are its owner's alone"))
      server.end()
    }
  #endif

  @Test("a server without its socket is named as that, and its port not as another's")
  func lostSocket() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    let socket = folder.url.appending(path: "control.sock")
    for isReplaced in [false, true] {
      if isReplaced {
        try Data().write(to: socket)
      } else {
        try FileManager.default.removeItem(at: socket)
      }
      let (problems, all) = try problems(of: folder, "--port", "\(server.port)")
      let said =
        isReplaced
        ? "!!  \(socket.path), by which commands ask a server, is a plain file and no socket: move it away, and restart a server that runs"
        : "!!  there is no \(socket.path), by which commands ask a server: restart the server, which makes it"
      #expect(problems == [said])
      #expect(all.contains("ok  port \(server.port) is held by an Understudy, and of which data folder"))
    }
    server.end()
  }

  @Test("the backups of --backup-every: that they are made, and why the last one wasn't")
  func backups() throws {
    let folder = try DataFolderUnderTest()
    try folder.serve().end()
    let obstacle = folder.url.appending(path: "backups")
    try Data().write(to: obstacle)
    let server = try folder.serve(["--backup-every", "1s"])
    func lines(until isThere: ([String]) -> Bool) throws -> String {
      for _ in 0..<100 {
        let (problems, all) = try problems(of: folder, "--port", "\(server.port)")
        if isThere(problems) { return all }
      }
      Issue.record("it doesn't come: \(server.log)")
      return ""
    }
    let failing = try lines {
      $0.count == 1 && $0[0].contains("the last backup of --backup-every failed at ")
    }
    #expect(failing.contains("see to that; it is tried again by itself"))
    try FileManager.default.removeItem(at: obstacle)
    let well = try lines { $0.isEmpty }
    #expect(well.contains("ok  the newest backup in \(folder.path)/backups is of "), "\(well)")
    server.end()
  }

  #if os(Linux)
    @Test(
      "another user is told whose the folder is, and nothing that isn't so",
      .enabled(if: OtherUser.isAvailable))
    func otherUser() throws {
      let folder = try DataFolderUnderTest()
      let server = try folder.serve(["--https", "0", "--name", "localhost"])
      for mode in [0o700, 0o755] {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
        let (problems, all) = try problems(
          of: folder, "--port", "\(server.port)", launcher: OtherUser.launcher(OtherUser.nobody))
        #expect(
          problems == [
            "!!  the data folder \(folder.path) is root's, and this is nobody (Permission denied): sudo -u root understudy doctor --data \(folder.path)"
          ])
        #expect(!all.contains("there is no"), "\(all)")
        #expect(all.contains("ok  port \(server.port) is held by an Understudy, and of which data folder"))
      }
      server.end()
    }

    @Test(
      "what root has made in another user's folder is named, with what gives it back",
      .enabled(if: OtherUser.isAvailable))
    func strangers() throws {
      let folder = try DataFolderUnderTest()
      try folder.serve().end()
      for name in ["", "/images", "/understudy.sqlite"] {
        #expect(chown(folder.path + name, 65534, 65534) == 0)
      }
      #expect(try problems(of: folder, "--port", "0").problems == [])
      try Data().write(to: folder.url.appending(path: "images/picture.jpg"))
      #expect(
        try problems(of: folder, "--port", "0").problems == [
          "!!  \(folder.path)/images/picture.jpg belongs to root and not to nobody, whose the data folder is: let root run: chown -R nobody \(folder.path)"
        ])
      #expect(chown(folder.path + "/understudy.sqlite", 0, 0) == 0)
      let problems = try problems(of: folder, "--port", "0").problems
      #expect(problems.count == 1 && problems[0].contains(", the first of 2 such files"), "\(problems)")
    }
  #endif
}
