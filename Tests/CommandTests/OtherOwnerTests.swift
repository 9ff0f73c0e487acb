#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @Suite(
    "root in a data folder of another user's",
    .enabled(if: OtherUser.isAvailable))
  struct OtherOwnerTests {
    private static let user = OtherUser.nobody
    private static let asUser = OtherUser.launcher(user)

    /// A folder of the user's, with a user of the app in it.
    private func folder(_ path: String = "data") throws -> DataFolderUnderTest {
      let folder = try DataFolderUnderTest(path)
      let parent = folder.url.deletingLastPathComponent()
      #expect(chown(parent.path, Self.user, Self.user) == 0)
      #expect(
        try folder.run(
          "users", "add", "ada", "--app", "invasive", "--create", input: "pw\n", launcher: Self.asUser
        ).status == 0)
      return folder
    }

    /// What in the folder isn't the user's.
    private func foreign(in folder: DataFolderUnderTest) -> [String] {
      let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
      return names.filter { name in
        var status = stat()
        return lstat(folder.path + "/" + name, &status) != 0 || status.st_uid != Self.user
          || status.st_gid != Self.user
      }
    }

    /// A server with one species and its picture.
    private func original() throws -> ScriptedServer {
      try ScriptedServer { request in
        switch request.target {
        case "/invasive/species": .json(#"[{"idspecies":1,"name":"S","image":"/pictures/s.png"}]"#)
        case "/invasive/parks": .json(#"[{"idpark":1,"name":"P","county":"C"}]"#)
        default: .answer(type: "image/png", png("picture"))
        }
      }
    }

    @Test("whatever a command makes there is its owner's, whose server goes on with it")
    func everything() throws {
      let folder = try folder()
      let backups = folder.url.appending(path: "backups")
      try FileManager.default.createDirectory(at: backups, withIntermediateDirectories: true)
      #expect(chown(backups.path, Self.user, Self.user) == 0)
      // What only root can read.
      let closed = folder.beside("closed")
      try FileManager.default.createDirectory(at: closed, withIntermediateDirectories: true)
      #expect(chmod(closed.path, 0o700) == 0)
      let other = try DataFolderUnderTest()
      for (name, bytes) in [("images/photo.jpg", "photo"), ("tls/ca.pem", "authority")] {
        let file = other.url.appending(path: name)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes.utf8).write(to: file)
      }
      #expect(
        try other.run("users", "add", "bob", "--app", "invasive", "--create", input: "pw\n").status == 0)
      let backup = closed.appending(path: "backup.sqlite").path
      #expect(try other.run("backup", backup).status == 0)
      let server = try original()
      for (command, input) in [
        (["users", "add", "--app", "invasive", "cleo"], "pw\n"), (["restore", backup], ""),
        (["backup", backups.path, "--keep", "3"], ""), (["mirror", server.url], ""),
        (["import", "parks", "-"], "id,name,county\n1,Park,County\n"),
        (["certificate", "--new-authority"], ""),
      ] {
        let (status, _, errors) = try folder.run(command, input: input)
        #expect(status == 0, "\(command) \(errors)")
        #expect(foreign(in: folder).isEmpty, "\(command)")
      }
      #expect(folder.entries.count { $0.hasPrefix("before-restore-") } == 1)
      #expect(try FileManager.default.contentsOfDirectory(atPath: backups.path).count == 1)
      let running = try folder.serve(["--https", "0"], launcher: Self.asUser)
      #expect(try running.logIn("bob", password: "pw").status == 200)
      #expect(try running.answer("GET", "/invasive/images/s.png").body == png("picture"))
      // Beside the server the pictures are put there by the command.
      try FileManager.default.removeItem(at: folder.images.appending(path: "s.png"))
      #expect(try folder.run("mirror", server.url).status == 0)
      #expect(try running.answer("GET", "/invasive/images/s.png").body == png("picture"))
      running.end()
      #expect(foreign(in: folder).isEmpty)
    }

    @Test("no link of the owner's leads root anywhere, and a place that isn't the owner's is said")
    func limits() throws {
      let folder = try folder()
      let closed = folder.beside("closed")
      try FileManager.default.createDirectory(at: closed, withIntermediateDirectories: true)
      #expect(chmod(closed.path, 0o700) == 0)
      let (status, _, errors) = try folder.run("backup", closed.appending(path: "backup.sqlite").path)
      #expect(status == 1)
      #expect(errors.contains("Permission denied") && errors.contains("who has the data folder"), "\(errors)")
      try Data("secret".utf8).write(to: closed.appending(path: "secret.jpg"))
      try FileManager.default.removeItem(at: folder.images)
      try FileManager.default.createSymbolicLink(at: folder.images, withDestinationURL: closed)
      #expect(try folder.run("mirror", original().url).status == 1)
      #expect(try FileManager.default.contentsOfDirectory(atPath: closed.path) == ["secret.jpg"])
      #expect(try folder.run("backup", folder.beside("backup.sqlite").path).status == 1)
    }

    @Test("a copy that only root can reach is still root's to work in, and so is what root's own server has")
    func unreachable() throws {
      let folder = try folder("closed/data")
      #expect(chown(folder.url.deletingLastPathComponent().path, 0, 0) == 0)
      #expect(chmod(folder.url.deletingLastPathComponent().path, 0o700) == 0)
      #expect(try folder.run("users", "list", "--app", "invasive").output.contains("ada"))
      let open = try self.folder()
      #expect(chown(open.path + "/understudy.sqlite", 0, 0) == 0)
      #expect(try open.run("users", "list", "--app", "invasive").output.contains("ada"))
    }
  }
#endif
