import Foundation
import TestSupport
import Testing

@Suite("the data folder's lock")
struct FolderLockTests {
  private static func makeLink(
    _ kind: String, at link: URL, to target: URL
  ) throws {
    switch kind {
    case "symbolic": try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
    default: try FileManager.default.linkItem(at: target, to: link)
    }
  }

  @Test(
    "a database that is another folder's by a link is refused, by servers and commands, and told by doctor",
    arguments: ["symbolic", "hard"])
  func linkedDatabase(kind: String) throws {
    let first = try DataFolderUnderTest()
    let server = try first.serve()
    #expect(try server.signUp("ada").status == 200)
    let second = try DataFolderUnderTest()
    try FileManager.default.createDirectory(
      at: second.url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let link = second.url.appending(path: "understudy.sqlite")
    try Self.makeLink(kind, at: link, to: first.url.appending(path: "understudy.sqlite"))
    let said = kind == "symbolic" ? "understudy.sqlite is a link to /" : "with 2 names (hard links)"
    for command in [["serve", "--port", "0"], ["users", "list", "--app", "invasive"]] {
      let (status, _, errors) = try second.run(command)
      #expect(status == 1)
      #expect(errors.contains(said), "\(errors)")
      #expect(errors.split(separator: "\n").count == 1)
    }
    let (status, output, _) = try second.run("doctor", "--port", "0")
    #expect(status == 1)
    #expect(output.split(separator: "\n").contains { $0.hasPrefix("!!") && $0.contains(said) }, "\(output)")
    // Not even its log or lock is beside the link.
    #expect(second.entries == ["understudy.sqlite"])
    #expect(try server.logIn("ada", password: "secret").status == 200)
    server.end()
  }

  @Test("a link to nothing in the database's place makes no database elsewhere")
  func danglingDatabase() throws {
    let folder = try DataFolderUnderTest()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: false)
    let elsewhere = folder.beside("elsewhere.sqlite")
    try FileManager.default.createSymbolicLink(
      at: folder.url.appending(path: "understudy.sqlite"), withDestinationURL: elsewhere)
    let (status, _, errors) = try folder.run("serve", "--port", "0")
    #expect(status == 1 && errors.contains("understudy.sqlite is a link to what isn't there"), "\(errors)")
    #expect(!FileManager.default.fileExists(atPath: elsewhere.path))
  }

  @Test("a folder can be a link, and is the same folder by it")
  func linkedFolder() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    #expect(try server.signUp("ada").status == 200)
    let link = folder.beside("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
    let (status, _, errors) = try ServerProcess.run(["serve", "--port", "0", "--data", link.path])
    #expect(status == 1)
    #expect(
      errors.contains("is in use by another server (process \(server.processIdentifier)): stop it first"),
      "\(errors)")
    let list = try ServerProcess.run(["users", "list", "--app", "invasive", "--data", link.path])
    #expect(list.status == 0 && list.output.contains("ada"), "\(list)")
    server.end()
    let next = try ServerProcess(["--data", link.path])
    #expect(try next.logIn("ada", password: "secret").status == 200)
    next.end()
    #expect(folder.entries == ["images", "understudy.sqlite"])
  }

  /// A data folder that this process has as a command has it.
  private final class Held: Sendable {
    private let descriptor: Int32

    init(_ folder: DataFolderUnderTest) throws {
      try FileManager.default.createDirectory(
        at: folder.url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
      try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      try "command \(getpid())\n".write(
        to: folder.url.appending(path: "understudy.lock"), atomically: false, encoding: .utf8)
    }

    func letGo() { flock(descriptor, LOCK_UN) }

    deinit { close(descriptor) }
  }

  @Test("a server that begins while a command has the folder says so, when that hasn't ended in two seconds")
  func impatience() throws {
    let folder = try DataFolderUnderTest()
    let held = try Held(folder)
    let (status, _, errors) = try folder.run("serve", "--port", "0")
    #expect(status == 1)
    #expect(
      errors
        == "understudy: the data folder \(folder.path) is in use by a command (process \(getpid())): wait for its end, or choose another folder with --data\n"
    )
    withExtendedLifetime(held) {}
  }

  #if os(Linux)
    /// Whether a process has a file open; nil where there is no such process.
    private static func hasOpen(_ path: String, _ process: String) -> Bool? {
      let folder = "/proc/\(process)/fd"
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
      return names.contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
      }
    }

    @Test("a server that begins while a command has the folder waits for its end")
    func patience() throws {
      let folder = try DataFolderUnderTest()
      let held = try Held(folder)
      let (path, begun) = (folder.path, folder.beside("process").path)
      let shell = ["/bin/sh", "-c", #"echo $$ > "$0.new" && mv "$0.new" "$0" && exec "$@""#, begun]
      let letGo = Thread {
        var process: String?
        while process == nil {
          process = try? String(contentsOfFile: begun, encoding: .utf8).trimmingCharacters(
            in: .whitespacesAndNewlines)
        }
        // Until it waits for the lock, or has ended because it doesn't.
        while let process, Self.hasOpen(path, process) == false { sched_yield() }
        held.letGo()
      }
      letGo.start()
      let server = try folder.serve(launcher: shell)
      #expect(try server.signUp("ada").status == 200)
      server.end()
    }
  #endif
}
