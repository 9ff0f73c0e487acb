import Foundation
import TestSupport
import Testing
import UnderstudyTesting

@testable import Understudy

@Suite("The data folder")
struct DataFolderTests {
  private let parent = try! TemporaryFolder()

  private func isUnusable(_ error: any Error, _ path: String) -> Bool {
    if case .unusable(path, _)? = error as? DataFolder.Failure { true } else { false }
  }

  @Test(
    "it is made with the folders above it, and nobody else may look into it",
    arguments: ["a", "a/b/c", "a/b/"])
  func made(name: String) throws {
    let folder = try DataFolder(path: parent.path + "/" + name)
    try folder.makeImages()
    try folder.makeImages()
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
    #expect(mode == 0o700)
    var isFolder: ObjCBool = false
    #expect(
      FileManager.default.fileExists(atPath: folder.images, isDirectory: &isFolder) && isFolder.boolValue)
    #expect(folder.database.hasPrefix(parent.path))
  }

  @Test("what is in it stays")
  func kept() throws {
    for _ in 0..<2 {
      let folder = try DataFolder(path: parent.path("data"))
      try parent.write("kept", to: "data/file")
      _ = folder
    }
    #expect(parent.exists("data/file"))
  }

  @Test("a second server of the same process is refused, until the first is gone")
  func lock() async {
    // In a process of its own, with no other descriptors to disturb.
    await #expect(processExitsWith: .success) {
      let parent = try TemporaryFolder()
      let path = parent.path("data")
      var first: DataFolder? = try DataFolder(path: path)
      #expect(throws: DataFolder.Failure.inUse(path, by: .command(getpid()))) { try DataFolder(path: path) }
      // The refused one has not let go of the first one's lock.
      #expect(throws: DataFolder.Failure.inUse(path, by: .command(getpid()))) { try DataFolder(path: path) }
      _ = first
      first = nil
      #expect(throws: Never.self) { try DataFolder(path: path) }
    }
  }

  @Test("a refusal closes only its own descriptor")
  func descriptors() async throws {
    let path = parent.path("data")
    let first = try DataFolder(path: path)
    // In a process of its own, whose other descriptors nobody misses.
    await #expect(processExitsWith: .success) { [path = path as String] in
      let other = Thread {
        for _ in 0..<200_000 {
          let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
          // Closed already, where somebody else has taken it for its own.
          if close(descriptor) != 0 { exit(EXIT_FAILURE) }
        }
        exit(EXIT_SUCCESS)
      }
      other.start()
      while true { _ = try? DataFolder(path: path) }
    }
    withExtendedLifetime(first) {}
  }

  @Test("a server of another process is refused in one line that says what to do")
  func otherProcess() throws {
    let path = parent.path("data")
    let folder = try DataFolder(path: path)
    let outcome = try ServerProcess.run(["serve", "--port", "0", "--data", path])
    #expect(outcome.status != 0)
    #expect(outcome.errors.contains("in use"))
    #expect(outcome.errors.contains(path))
    #expect(outcome.errors.split(separator: "\n").count == 1)
    _ = folder
  }

  @Test("a server that was killed leaves no lock behind")
  func killed() throws {
    let path = parent.path("data")
    let server = try ServerProcess(["--data", path])
    server.signal(SIGKILL)
    #expect(server.wait() == -SIGKILL)
    #expect(throws: Never.self) { try DataFolder(path: path) }
  }

  @Test("a temporary one goes with all that is in it, and nothing that isn't")
  func temporary() throws {
    try parent.write("kept", to: "outside")
    let path: String
    do {
      let folder = try DataFolder(temporaryIn: parent.path)
      path = folder.path
      #expect(path.hasPrefix(parent.path + "/"))
      try folder.makeImages()
      let inside = folder.images + "/deep/er"
      try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: true)
      try Data("x".utf8).write(to: URL(fileURLWithPath: inside + "/file"))
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/link", withDestinationPath: parent.path)
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
    }
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(parent.exists("outside"))
  }

  @Test("a file in its place, or in the place of a folder above it, is told and left alone")
  func file() throws {
    try parent.write("mine", to: "file")
    for path in [parent.path("file"), parent.path("file/data")] {
      #expect { try DataFolder(path: path) } throws: { error in
        if case .unusable(_, let reason)? = error as? DataFolder.Failure { !reason.isEmpty } else { false }
      }
    }
    #expect(try String(contentsOfFile: parent.path("file"), encoding: .utf8) == "mine")
    let folder = try DataFolder(path: parent.path("data"))
    try parent.write("mine", to: "data/images")
    #expect { try folder.makeImages() } throws: { isUnusable($0, folder.images) }
  }

  @Test("a temporary one has to have a place")
  func noPlace() {
    let missing = parent.path("missing")
    #expect { try DataFolder(temporaryIn: missing) } throws: { isUnusable($0, missing) }
  }

  @Test("one that can't be written to is unusable")
  func readOnly() async throws {
    let path = parent.path("data")
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o555])
    await #expect(processExitsWith: .success) { [path = path as String] in
      asSomebody {
        for name in [path, path + "/inside"] {
          #expect { try DataFolder(path: name) } throws: { error in
            if case .unusable(name, _)? = error as? DataFolder.Failure { true } else { false }
          }
        }
      }
    }
  }

  @Test(
    "one of another user's is refused with the chown that helps, unless that would take more than a data folder"
  )
  func ofAnotherUser() async throws {
    // Who isn't root can give nothing to anybody, and has what is root's.
    guard geteuid() == 0 else {
      #expect(refusal("/").hasPrefix("can't use the data folder / (Permission denied)"))
      return
    }
    let path = parent.path("data")
    func isRefused(_ complaint: String, _ advice: String) async {
      await #expect(processExitsWith: .success) {
        [path = path as String, complaint = complaint as String, advice = advice as String] in
        asSomebody {
          let line = refusal(path)
          #expect(line.hasPrefix("can't use ") && !line.contains("\n"))
          #expect(line.contains(complaint) && line.contains(advice), "\(line)")
        }
      }
    }
    let files = FileManager.default
    try files.createDirectory(atPath: path + "/lost+found", withIntermediateDirectories: true)
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    await isRefused("\(path): it belongs to user 0, and this is user 65534", "'chown -R 65534:0 \(path)'")
    // A folder for temporary ones is everybody's.
    await #expect(processExitsWith: .success) { [path = path as String] in
      setenv("TMPDIR", path, 1)
      asSomebody { #expect(refusal(nil).hasPrefix("can't use the data folder \(path) (Permission denied)")) }
    }
    // What is in there can't be seen.
    try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    await isRefused("\(path): it belongs to user 0", "'chown 65534:0 \(path)'")
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    try Data().write(to: URL(fileURLWithPath: path + "/passwd"))
    await isRefused("the data folder \(path) (Permission denied)", "make it a folder that can be written to")
    // The files alone: whoever may write into the folder has begun there before.
    try TestServer {
      $0.dataFolder = path
      $0.httpsPorts = [0]
    }.stop()
    try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
    await isRefused("\(path)/understudy.sqlite: it belongs to user 0", "'chown -R 65534:0 \(path)'")
    try files.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: path + "/understudy.sqlite")
    await isRefused("\(path)/tls: it belongs to user 0", "'chown -R 65534:0 \(path)'")
  }

  @Test("a database that may not be read is told in one line, and left as it was")
  func unreadable() async throws {
    let path = parent.path("data")
    try TestServer { $0.dataFolder = path }.stop()
    let file = path + "/understudy.sqlite"
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    let nobody: [FileAttributeKey: Any] = geteuid() == 0 ? [.ownerAccountID: 65_534] : [:]
    try FileManager.default.setAttributes(nobody, ofItemAtPath: path)
    try FileManager.default.setAttributes(
      nobody.merging([.posixPermissions: 0]) { $1 }, ofItemAtPath: file)
    await #expect(processExitsWith: .success) { [path = path as String] in
      asSomebody {
        #expect {
          _ = try TestServer { $0.dataFolder = path }
        } throws: { error in
          let line = "\(error)"
          return line.contains("understudy.sqlite (Permission denied)") && line.contains("--data")
        }
      }
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
  }
}

/// Whom permissions don't stop becomes somebody whom they do, until `body` has ended: what looks for leaks at
/// the end of the process needs its rights.
private func asSomebody(_ body: () -> Void) {
  let isRoot = geteuid() == 0
  if isRoot, setreuid(65_534, uid_t.max) != 0 || seteuid(65_534) != 0 { Issue.record("still root") }
  defer { if isRoot { _ = seteuid(0) } }
  body()
}

/// What a server says that can't begin in a folder, or in a temporary one.
private func refusal(_ path: String?) -> String {
  do {
    try TestServer {
      $0.dataFolder = path
      $0.httpsPorts = [0]
    }.stop()
    return "it began"
  } catch {
    return "\(error)"
  }
}
