import Foundation
import SQLite
import TestSupport
import Testing

/// A backup, as a test looks into it.
struct BackupUnderTest {
  let users: [String]
  let defects: [String]
  let files: [String]

  init(_ url: URL) throws {
    // No log and no journal is needed to read it.
    let copy = try TemporaryFolder()
    let path = copy.url.appending(path: "backup.sqlite").path
    try FileManager.default.copyItem(atPath: url.path, toPath: path)
    let connection = try Connection(path: path, access: .readWrite)
    users = try connection.rows("SELECT username FROM user ORDER BY id") { $0.text(0) }
    defects = try connection.defects()
    files = try connection.rows("SELECT name FROM sqlar ORDER BY name") { $0.text(0) }
  }
}

@Suite("understudy backup")
struct BackupTests {
  func add(_ name: String, to folder: DataFolderUnderTest) throws {
    #expect(try folder.run("users", "add", name, "--app", "invasive", "--create", input: "pw\n").status == 0)
  }

  func dated(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test("holds everything that was answered, beside a server that goes on, and without one")
  func whole() throws {
    let folder = try DataFolderUnderTest()
    let file = folder.beside("backup.sqlite")
    let server = try folder.serve(["--https", "0"])
    #expect(try server.signUp("ada").status == 200)
    try Data("a photograph".utf8).write(to: folder.url.appending(path: "images/garlic-mustard.jpg"))
    // Changes go on while it is made.
    let path = folder.path
    let uploader = try onThreads([true, false]) { uploads -> (Int32, String, String) in
      guard uploads else {
        return try ServerProcess.run(["backup", file.path, "--data", path])
      }
      for number in 0..<50 { #expect(try server.signUp("user \(number)").status == 200) }
      return (0, "", "")
    }
    #expect(uploader[1].0 == 0, "\(uploader[1].2)")
    #expect(uploader[1].1.contains("1 photograph, the certificate authority"))
    let first = try BackupUnderTest(file)
    #expect(first.users.first == "ada" && first.defects.isEmpty)
    #expect(first.files == ["images/garlic-mustard.jpg", "tls/ca.key", "tls/ca.pem", "tls/server.pem"])
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(server.log.contains(#""message":"POST /backup","status":200"#))
    server.end()
    try add("bob", to: folder)
    let (status, output, errors) = try folder.run("backup", file.path)
    #expect((status, errors) == (0, ""))
    #expect(output.hasPrefix("\(file.path): 52 users with 0 observations, 0 directories with 0 people"))
    #expect(try BackupUnderTest(file).users.last == "bob")
    #expect(try dated(in: file.deletingLastPathComponent()) == ["backup.sqlite", "data"])
  }

  @Test("replaces no file that isn't one, and nothing of the data folder")
  func refusals() throws {
    let folder = try DataFolderUnderTest()
    try add("ada", to: folder)
    let other = try DataFolderUnderTest()
    try add("grace", to: other)
    let theirs = try Data(contentsOf: URL(fileURLWithPath: other.path + "/understudy.sqlite"))
    let notes = folder.beside("notes.txt")
    try Data("notes".utf8).write(to: notes)
    for (place, reason) in [
      (notes.path, "is there already and is no backup"),
      (folder.path + "/understudy.sqlite", "among the data themselves"),
      (folder.path, "among the data themselves"),
      (folder.path + "/control.sock", "among the data themselves"),
      (folder.path + "/images", "among the data themselves"),
      (folder.path + "/images/garlic-mustard.jpg", "among the data themselves"),
      (other.path + "/understudy.sqlite", "has the name of a data folder's own database"),
      (folder.beside("nowhere/backup.sqlite").path, "There is no folder"),
    ] {
      let (status, output, errors) = try folder.run("backup", place)
      #expect(status == 1)
      #expect(output.isEmpty)
      #expect(errors.contains(reason), "\(errors)")
      #expect(errors.split(separator: "\n").count == 1)
    }
    #expect(try Data(contentsOf: notes) == Data("notes".utf8))
    #expect(try Data(contentsOf: URL(fileURLWithPath: other.path + "/understudy.sqlite")) == theirs)
    let (status, _, errors) = try folder.run("backup", folder.beside("backup.sqlite").path, "--keep", "3")
    #expect(status == 1)
    #expect(errors.contains("is not a folder"))
    #expect(try dated(in: notes.deletingLastPathComponent()) == ["data", "notes.txt"])
  }

  @Test("a damaged database gives none, and the last good one stays")
  func damaged() throws {
    let folder = try DataFolderUnderTest()
    try add("ada", to: folder)
    let file = folder.beside("backup.sqlite")
    #expect(try folder.run("backup", file.path).status == 0)
    let good = try Data(contentsOf: file)
    let place = folder.beside("dated")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    #expect(try folder.run("backup", place.path).status == 0)
    // A row that refers to none.
    let connection = try Connection(
      path: folder.url.appending(path: "understudy.sqlite").path, access: .readWrite)
    try connection.execute(
      "PRAGMA foreign_keys = OFF; INSERT INTO observation (user, species, park, comment, date) VALUES (99, 1, 1, '', '')"
    )
    let (status, _, errors) = try folder.run("backup", file.path)
    #expect(status == 1)
    #expect(errors.contains("The database is damaged (a row of observation refers to none)"))
    #expect(try Data(contentsOf: file) == good)
    // The oldest goes when the new one is there, and not for one that failed.
    #expect(try folder.run("backup", place.path, "--keep", "1").status == 1)
    #expect(try dated(in: place).count == 1)
    #expect(try dated(in: file.deletingLastPathComponent()) == ["backup.sqlite", "data", "dated"])
  }

  #if os(Linux)
    @Test(
      "on a full disk none is begun, and the one from before stays",
      .enabled(if: MountedDisk.isAvailable, "no disk can be mounted here"))
    func fullDisk() throws {
      let folder = try DataFolderUnderTest()
      let disk = try MountedDisk(size: "1m")
      try add("ada", to: folder)
      let place = disk.path + "/backup.sqlite"
      let file = disk.url.appending(path: "backup.sqlite")
      #expect(try folder.run("backup", place, launcher: disk.launcher).status == 0)
      let good = try Data(contentsOf: file)
      try add("bob", to: folder)
      // Full from the first byte on, and when most of it is written.
      for room in [0, 40_000] {
        try Data(count: room).write(to: disk.url.appending(path: "room"))
        try disk.fill()
        try disk.remove("room")
        let (status, output, errors) = try folder.run("backup", place, launcher: disk.launcher)
        #expect(status == 1)
        #expect(output.isEmpty)
        #expect(errors == "understudy: The disk of \(place) is full: no backup was made.\n")
        #expect(try Data(contentsOf: file) == good)
        #expect(try dated(in: disk.url) == ["backup.sqlite", "filler"])
        try disk.remove()
      }
      #expect(try folder.run("backup", place, launcher: disk.launcher).status == 0)
      #expect(try BackupUnderTest(file).users == ["ada", "bob"])
    }

    @Test(
      "killed at any moment, it leaves the backup from before or the new one",
      .enabled(if: KillPoints.isAvailable))
    func killed() throws {
      let folder = try DataFolderUnderTest()
      try add("ada", to: folder)
      let file = folder.beside("backup.sqlite")
      let old = folder.beside("old.sqlite")
      #expect(try folder.run("backup", old.path).status == 0)
      try add("bob", to: folder)
      let points = try KillPoints(in: file.deletingLastPathComponent())
      var seen: Set<[String]> = []
      let kills = try points.each(of: ["backup", file.path, "--data", folder.path]) {
        try? FileManager.default.removeItem(at: file)
        try FileManager.default.copyItem(at: old, to: file)
      } check: { point in
        let backup = try BackupUnderTest(file)
        #expect(backup.defects.isEmpty, "\(point)")
        #expect(backup.users == ["ada"] || backup.users == ["ada", "bob"], "\(point)")
        seen.insert(backup.users)
      }
      #expect(kills > 10)
      #expect(seen.count == 2)
      // The last one came to its end, and nothing of the others is left.
      #expect(try BackupUnderTest(file).users == ["ada", "bob"])
      #expect(
        try dated(in: file.deletingLastPathComponent()) == [
          "backup.sqlite", "data", "kill-point.so", "old.sqlite",
        ])
      #expect(try folder.integer("SELECT count(*) FROM user") == 2)
    }
  #endif
}
