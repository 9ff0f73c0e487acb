import Foundation
import TestSupport
import Testing

@Suite("understudy hosts")
struct HostsTests {
  private static let block =
    "# understudy: begin\n127.0.0.1 cmsc106.net\n::1 cmsc106.net\n# understudy: end\n"
  private static let others = "127.0.0.1\tlocalhost\n# mine\n10.0.0.1  printer\n"

  /// Runs the command on a file, and expects it to do what it is told.
  @discardableResult private func hosts(
    _ arguments: String..., file: URL, environment: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> (output: String, errors: String) {
    let (status, output, errors) = try ServerProcess.run(
      ["hosts", "--file", file.path] + arguments, environment: environment)
    #expect(status == 0, "\(errors)", sourceLocation: sourceLocation)
    return (output, errors)
  }

  private func text(_ file: URL) throws -> String {
    String(decoding: try Data(contentsOf: file), as: UTF8.self)
  }

  private func status(of file: URL) throws -> stat {
    var result = stat()
    try #require(lstat(file.path, &result) == 0)
    return result
  }

  @Test("prints the lines, and changes nothing")
  func show() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "hosts")
    #expect(try hosts(file: file).output == Self.block)
    #expect(folder.contents.isEmpty)
    try Self.others.write(to: file, atomically: true, encoding: .utf8)
    let names = try hosts("--name", "A.example,b.example", "--name", "b.example", file: file).output
    #expect(
      names == """
        # understudy: begin
        127.0.0.1 a.example
        ::1 a.example
        127.0.0.1 b.example
        ::1 b.example
        # understudy: end

        """)
    let variable = ["UNDERSTUDY_NAMES": "10.0.0.7, c.example"]
    #expect(try hosts(file: file, environment: variable).output.contains("\n::1 c.example\n"))
    #expect(
      try hosts("--name", "d.example", file: file, environment: variable).output.contains("c.") == false)
    #expect(try text(file) == Self.others)
  }

  @Test("writes them and takes them away again, and nothing else of the file changes")
  func applyAndRemove() throws {
    let folder = try TemporaryFolder()
    let (file, link) = (folder.url.appending(path: "hosts"), folder.url.appending(path: "link"))
    // Who isn't root can give a file to nobody.
    let owner: (uid_t, gid_t) = geteuid() == 0 ? (4321, 1234) : (geteuid(), getegid())
    for original in [Self.others, "127.0.0.1 localhost\r\n\r\n10.0.0.1 a\r\n", "no end", ""] {
      try Data(original.utf8).write(to: file)
      try #require(chown(file.path, owner.0, owner.1) == 0 && chmod(file.path, 0o640) == 0)
      try? FileManager.default.removeItem(at: link)
      try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "hosts")
      let before = try status(of: file)
      #expect(try hosts("--apply", file: link).output.contains("now"))
      let written = try text(file)
      #expect(written.hasPrefix(original) && written.contains("127.0.0.1 cmsc106.net"))
      // A new file in its place: a reader never sees half of one.
      var after = try status(of: file)
      #expect(after.st_ino != before.st_ino)
      #expect(after.st_mode == before.st_mode && (after.st_uid, after.st_gid) == owner)
      #expect(try status(of: link).st_mode & S_IFMT == S_IFLNK)

      // Again, it finds everything as it should be and leaves the file alone.
      #expect(try hosts("--apply", file: link).output.contains("already"))
      #expect(try status(of: file).st_ino == after.st_ino)

      #expect(try hosts("--remove", file: link).output.contains("gone"))
      #expect(try text(file) == original)
      after = try status(of: file)
      #expect(after.st_mode == before.st_mode && (after.st_uid, after.st_gid) == owner)
      #expect(try hosts("--remove", file: link).output.contains("no lines of understudy"))
      #expect(folder.contents.keys.sorted() == ["hosts", "link"])
    }
  }

  @Test("makes the file where there is none")
  func missing() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "hosts")
    #expect(try hosts("--remove", file: file).output.contains("no lines of understudy"))
    #expect(folder.contents.isEmpty)
    try hosts("--apply", file: file)
    #expect(try text(file) == Self.block)
    #expect(try status(of: file).st_mode & 0o777 == 0o644)
  }

  @Test("writes into a file that has another name too, which shows the same then")
  func hardLink() throws {
    let folder = try TemporaryFolder()
    let (file, other) = (folder.url.appending(path: "hosts"), folder.url.appending(path: "other"))
    try Data(Self.others.utf8).write(to: file)
    try #require(link(file.path, other.path) == 0)
    try hosts("--apply", file: file)
    #expect(try text(other) == Self.others + Self.block)
    // Shorter again: nothing of the lines is left behind the end.
    try hosts("--remove", file: file)
    #expect(try text(other) == Self.others)
  }

  @Test("leaves what is no file alone: a pipe, and a link to nowhere", .timeLimit(.minutes(1)))
  func noFile() throws {
    let folder = try TemporaryFolder()
    let (pipe, link) = (folder.url.appending(path: "pipe"), folder.url.appending(path: "link"))
    #expect(mkfifo(pipe.path, 0o600) == 0)
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "nowhere")
    for (file, reason) in [(pipe, "it is not a file"), (link, "it is a link to a file that isn't there")] {
      for option in ["--apply", "--remove"] {
        let (status, output, errors) = try ServerProcess.run(["hosts", "--file", file.path, option])
        #expect(status == 1 && output.isEmpty)
        #expect(errors.contains(reason), "\(errors)")
      }
      #expect(try hosts(file: file).output == Self.block)
    }
    #expect(try status(of: pipe).st_mode & S_IFMT == S_IFIFO)
    #expect(try status(of: link).st_mode & S_IFMT == S_IFLNK)
  }

  @Test("points out what others have written about the name")
  func foreign() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "hosts")
    try Data("127.0.0.1 localhost\n203.0.113.5 www CMSC106.net\n".utf8).write(to: file)
    for arguments in [[], ["--apply"], ["--apply"]] {
      let (_, _, errors) = try ServerProcess.run(["hosts", "--file", file.path] + arguments)
      #expect(errors.split(separator: "\n").count == 1)
      #expect(errors.contains("line 2 of \(file.path)") && errors.contains("203.0.113.5 www CMSC106.net"))
    }
    #expect(try hosts("--apply", "--name", "other.example", file: file).errors.isEmpty)
  }

  @Test("leaves a file alone whose markers somebody has torn apart")
  func damaged() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "hosts")
    let torn = Self.others + "# understudy: begin\n127.0.0.1 cmsc106.net\n10.0.0.9 important\n"
    try Data(torn.utf8).write(to: file)
    for option in ["--apply", "--remove"] {
      let (status, output, errors) = try ServerProcess.run(["hosts", "--file", file.path, option])
      #expect(status == 1 && output.isEmpty)
      #expect(errors.contains("line 4 of \(file.path)"))
      #expect(errors.split(separator: "\n").count == 1)
      #expect(try text(file) == torn)
    }
  }

  @Test("without the right to it says what to type, which then works")
  func rights() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "the 'hosts'")
    try Data(Self.others.utf8).write(to: file)
    try #require(chmod(file.path, 0o444) == 0)
    // For root there is no such thing, unless that is taken from it.
    let launcher = geteuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-dac_override"] : []
    for option in ["--apply", "--remove"] {
      if option == "--remove" { try hosts("--apply", "--name", "b.example", file: file) }
      let before = try Data(contentsOf: file)
      let (status, output, errors) = try ServerProcess.run(
        ["hosts", "--file", file.path, option], environment: ["UNDERSTUDY_NAMES": "b.example"],
        launcher: launcher)
      #expect(status == 1 && output.isEmpty)
      #expect(errors.split(separator: "\n").count == 1)
      #expect(try Data(contentsOf: file) == before)
      let command = try #require(errors.firstRange(of: "; type: sudo "))
      #expect(chmod(file.path, 0o644) == 0)
      let shell = Process()
      shell.executableURL = URL(fileURLWithPath: "/bin/sh")
      shell.arguments = ["-c", String(errors[command.upperBound...])]
      shell.standardOutput = FileHandle.nullDevice
      try shell.run()
      shell.waitUntilExit()
      #expect(shell.terminationStatus == 0)
      #expect(try text(file).contains("b.example") == (option == "--apply"))
      #expect(chmod(file.path, 0o444) == 0)
    }
  }

  #if os(Linux)
    @Test(
      "points the system's own lookups at this machine, in a container's /etc/hosts too, which can't be replaced",
      .enabled(if: MountedDisk.isAvailable, "nothing can be mounted here"))
    func lookup() throws {
      let folder = try TemporaryFolder()
      let file = folder.url.appending(path: "hosts")
      try Data(Self.others.utf8).write(to: file)
      // In a mount namespace of the test's own, the file is the mount point /etc/hosts.
      let script = """
        set -e
        mount --bind "$1" /etc/hosts
        ! getent -s files ahosts stood-in.example
        "$2" hosts --apply --name stood-in.example
        getent -s files ahostsv4 stood-in.example
        getent -s files ahostsv6 stood-in.example
        cat /etc/hosts
        "$2" hosts --remove
        ! getent -s files ahosts stood-in.example
        """
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
      process.arguments = [
        geteuid() == 0 ? "-m" : "-rm", "sh", "-c", script, "sh", file.path, ServerProcess.program.path,
      ]
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "\(text)")
      #expect(text.contains(#/\n127\.0\.0\.1 +STREAM stood-in\.example\n/#), "\(text)")
      #expect(text.contains(#/\n::1 +STREAM stood-in\.example\n/#), "\(text)")
      #expect(text.contains(Self.others + "# understudy: begin\n"), "\(text)")
      #expect(try self.text(file) == Self.others)
    }
  #endif
}
