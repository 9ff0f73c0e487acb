#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @Suite(
    "a data folder on a disk that takes nothing",
    .enabled(if: MountedDisk.isAvailable, "no disk can be mounted here"))
  struct FailedDiskTests {
    @Test(
      "is read without a server, what only its log has too, and backed up to another disk",
      arguments: ["read-only", "full"], [false, true])
    func rescued(kind: String, isKilled: Bool) throws {
      let disk = try MountedDisk(size: "8m")
      let place = disk.path + "/data"
      let beside = try DataFolderUnderTest()
      let temporary = beside.beside("temporary")
      try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
      func run(_ words: String...) throws -> (status: Int32, output: String, errors: String) {
        try ServerProcess.run(
          words + ["--data", place], environment: ["TMPDIR": temporary.path], launcher: disk.launcher)
      }
      let server = try ServerProcess(["--data", place], launcher: disk.launcher)
      #expect(try server.signUp("ada", password: "pw").status == 200)
      try Data("a photograph".utf8).write(to: disk.url.appending(path: "data/images/photo.jpg"))
      if isKilled {
        server.signal(SIGKILL)
        #expect(server.wait() == -SIGKILL)
      } else {
        server.end()
      }
      if kind == "full" { try disk.fill() } else { try disk.remount("ro") }
      let before = try FileManager.default.contentsOfDirectory(atPath: disk.url.appending(path: "data").path)
      let export = try run("export", "users")
      #expect((export.status, export.errors) == (0, ""))
      let list = try ServerProcess.run(
        ["users", "list", "--app", "invasive", "--data", place], launcher: disk.launcher)
      #expect((list.status, list.errors) == (0, ""))
      #expect(export.output.contains("ada"))
      let backup = beside.beside("backup.sqlite")
      let made = try run("backup", backup.path)
      #expect((made.status, made.errors) == (0, ""))
      #expect(made.output.contains("1 user with") && made.output.contains("1 photograph"))
      // Not among the pictures, by whatever path.
      #expect(try run("backup", place + "/images/x.png").errors.contains("among the data themselves"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
      let after = try FileManager.default.contentsOfDirectory(atPath: disk.url.appending(path: "data").path)
      #expect(
        Set(after).subtracting(before).isSubset(of: ["understudy.sqlite-wal", "understudy.sqlite-shm"]))
      #expect(try beside.run("restore", backup.path).status == 0)
      let restored = try beside.serve()
      #expect(try restored.logIn("ada", password: "pw").status == 200)
      restored.end()
    }

    @Test("what changes it fails, and where no copy can be made that is said")
    func limits() throws {
      let disk = try MountedDisk(size: "8m")
      let place = disk.path + "/data"
      try ServerProcess(["--data", place], launcher: disk.launcher).end()
      try disk.remount("ro")
      let added = try ServerProcess.run(
        ["users", "add", "ada", "--app", "invasive", "--data", place], launcher: disk.launcher, input: "pw\n")
      #expect(added.status == 1)
      #expect(added.errors.contains("Read-only file system"))
      // Memory will do where the place for temporary files is no better.
      let environment = ["TMPDIR": disk.path]
      let export = try ServerProcess.run(
        ["export", "species", "--data", place], environment: environment, launcher: disk.launcher)
      #expect((export.status, export.errors) == (0, ""))
      let list = try ServerProcess.run(
        ["users", "list", "--app", "invasive", "--data", place], launcher: disk.launcher)
      #expect((list.status, list.errors) == (0, ""))
      try disk.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", "/dev/shm"])
      let refused = try ServerProcess.run(
        ["export", "species", "--data", place], environment: environment, launcher: disk.launcher)
      #expect(refused.status == 1)
      #expect(
        refused.errors.contains("say with TMPDIR=FOLDER where there is room for one"), "\(refused.errors)")
      #expect(refused.errors.split(separator: "\n").count == 1)
    }
  }
#endif
