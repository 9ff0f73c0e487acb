import Foundation
import SQLite
import TestSupport
import Testing

@Suite("understudy restore")
struct RestoreTests {
  /// A folder with a user, a photograph and an authority of its own, and a backup of another one.
  private struct Case {
    let folder: DataFolderUnderTest
    let backup: URL

    init(killed: Bool = false, photograph: String? = nil) throws {
      folder = try DataFolderUnderTest()
      backup = folder.beside("backup.sqlite")
      let other = try DataFolderUnderTest()
      try Self.fill(other, "new")
      if let photograph { try Data(photograph.utf8).write(to: other.url.appending(path: "images/photo.jpg")) }
      #expect(try other.run("backup", backup.path).status == 0)
      try Self.fill(folder, "old")
      guard killed else { return }
      // What it was answered is in the log alone.
      let server = try folder.serve()
      #expect(try server.signUp("old in the log").status == 200)
      server.signal(SIGKILL)
      #expect(server.wait() == -SIGKILL)
      #expect(folder.entries.isSuperset(of: ["understudy.sqlite-wal", "understudy.sqlite-shm"]))
    }

    static func fill(_ folder: DataFolderUnderTest, _ word: String) throws {
      #expect(
        try folder.run("users", "add", word, "--app", "invasive", "--create", input: "pw\n").status == 0)
      for name in ["images/photo.jpg", "tls/ca.pem"] {
        let file = folder.url.appending(path: name)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(word.utf8).write(to: file)
      }
    }

    func word(_ name: String) throws -> String {
      try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
    }

    func users() throws -> [String] {
      let (status, output, errors) = try folder.run("users", "list", "--app", "invasive")
      #expect(status == 0, "\(errors)")
      return output.split(separator: "\n").dropFirst().map { line in
        line.split(separator: "  ", omittingEmptySubsequences: true)[1].trimmingCharacters(in: .whitespaces)
      }
    }

    /// Every file of the folder with its bytes.
    func contents() throws -> [String: Data] {
      let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
      return Dictionary(
        uniqueKeysWithValues: names.map {
          ($0, (try? Data(contentsOf: folder.url.appending(path: $0))) ?? Data())
        })
    }
  }

  @Test("puts everything in its place and keeps aside what was there, its log too")
  func whole() throws {
    let test = try Case(killed: true)
    let (status, output, errors) = try test.folder.run("restore", test.backup.path)
    #expect((status, errors) == (0, ""))
    let lines = output.split(separator: "\n")
    #expect(
      lines.first
        == "restored \(test.backup.path) into \(test.folder.path): 1 user with 0 observations, 0 directories with 0 people, 1 photograph, the certificate authority"
    )
    #expect(try test.users() == ["new"])
    #expect(try test.word("images/photo.jpg") == "new")
    #expect(try test.word("tls/ca.pem") == "new")
    let aside = try #require(lines.last?.firstMatch(of: #/is in (.*)/#)?.1)
    let kept = try Set(FileManager.default.contentsOfDirectory(atPath: String(aside)))
    #expect(
      kept == [
        "understudy.sqlite", "understudy.sqlite-wal", "understudy.sqlite-shm", "images", "tls",
      ])
    // And back: the log of the old one counts.
    #expect(try test.folder.run("restore", aside + "/understudy.sqlite").status == 0)
    #expect(try test.users() == ["old", "old in the log"])
    // A copy of a database has neither photographs nor an authority: those that are there stay.
    #expect(try test.word("images/photo.jpg") == "new")
    let server = try test.folder.serve()
    #expect(try server.logIn("old", password: "pw").status == 200)
    server.end()
    #expect(try test.folder.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlar'") == 0)
  }

  @Test("makes a folder on another machine, readable to its owner alone")
  func newFolder() throws {
    let test = try Case()
    let place = test.folder.beside("new/data")
    let (status, output, _) = try ServerProcess.run(["restore", test.backup.path, "--data", place.path])
    #expect(status == 0)
    #expect(output.split(separator: "\n").count == 1)
    let names = try Set(FileManager.default.contentsOfDirectory(atPath: place.path))
    #expect(names == ["understudy.sqlite", "images", "tls"])
    for name in ["", "/understudy.sqlite", "/images", "/tls"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: place.path + name)
      let mode = try #require(attributes[.posixPermissions] as? Int)
      #expect(mode & 0o077 == 0, "\(name)")
    }
  }

  @Test(
    "refuses what is no sound backup of a version it knows, and changes nothing",
    arguments: [
      "foreign", "text", "newer", "cut", "damaged", "row", "photograph", "orphan", "missing", "folder",
      "itself",
      "outside", "absolute", "deeper", "database", "hidden", "link", "short", "compressed", "view",
    ])
  func refusals(kind: String) throws {
    let test = try Case(photograph: Self.photograph)
    let file = test.backup
    // As somebody else makes one, who doesn't know of the seal.
    func execute(_ sql: String) throws {
      try removeSeal(from: file)
      let connection = try Connection(path: file.path, access: .readWrite)
      try connection.execute(sql)
    }
    func change(_ old: String, to new: String) throws {
      var bytes = try Data(contentsOf: file)
      let place = try #require(bytes.range(of: Data(old.utf8)))
      bytes.replaceSubrange(place, with: Data(new.utf8))
      try bytes.write(to: file)
    }
    let evil = test.folder.beside("evil.sqlite").path
    var path = file.path
    let reason: String
    switch kind {
    case "foreign":
      try execute("PRAGMA application_id = 1")
      reason = "is no backup of understudy, and no database of it"
    case "text":
      try Data("text".utf8).write(to: file)
      reason = "is no backup of understudy, and no database of it"
    case "newer":
      try execute("PRAGMA user_version = 99")
      reason = "was written by a newer version of this program (schema 99"
    case "cut":
      let whole = try Data(contentsOf: file)
      try whole.prefix(whole.count / 2).write(to: file)
      reason = "is damaged"
    case "damaged":
      var whole = try Data(contentsOf: file)
      for index in 8192..<12_288 { whole[index] = 0x55 }
      try whole.write(to: file)
      reason = "is damaged"
    case "row":
      try change("Alliaria petiolata", to: "Alliaria petiolatA")
      reason = "is damaged (it was changed, or not copied whole, after it was made)"
    case "photograph":
      try change(Self.photograph, to: Self.photograph.uppercased())
      reason = "is damaged (it was changed, or not copied whole, after it was made)"
    case "short":
      try execute("UPDATE sqlar SET data = x'40' WHERE name = 'tls/ca.pem'")
      reason = "is damaged (tls/ca.pem is not whole)"
    case "compressed":
      try execute("UPDATE sqlar SET sz = 1000 WHERE name = 'images/photo.jpg'")
      reason = "is damaged (images/photo.jpg is not whole)"
    case "outside":
      try execute("UPDATE sqlar SET name = 'images/../../evil.sqlite' WHERE name = 'images/photo.jpg'")
      reason = "is damaged ('images/../../evil.sqlite' is no file that a backup holds)"
    case "absolute":
      try execute("UPDATE sqlar SET name = '\(evil)' WHERE name = 'images/photo.jpg'")
      reason = "is damaged ('\(evil)' is no file that a backup holds)"
    case "deeper":
      try execute("UPDATE sqlar SET name = 'images/a/b.jpg' WHERE name = 'images/photo.jpg'")
      reason = "is damaged ('images/a/b.jpg' is no file that a backup holds)"
    case "database":
      try execute("UPDATE sqlar SET name = 'understudy.sqlite-wal' WHERE name = 'images/photo.jpg'")
      reason = "is damaged ('understudy.sqlite-wal' is no file that a backup holds)"
    case "hidden":
      try execute("UPDATE sqlar SET name = 'images/..' WHERE name = 'images/photo.jpg'")
      reason = "is damaged ('images/..' is no file that a backup holds)"
    case "link":
      try execute(
        "UPDATE sqlar SET mode = 0xA1FF, data = CAST('/etc' AS BLOB), sz = 4 WHERE name = 'images/photo.jpg'")
      reason = "is damaged ('images/photo.jpg' is no file that a backup holds)"
    case "view":
      try execute(
        "DROP TABLE sqlar; CREATE VIEW sqlar AS SELECT 'images/a.jpg' AS name, 33188 AS mode, 0 AS mtime, 1 AS sz, x'40' AS data"
      )
      reason = "is damaged (its sqlar is no table)"
    case "orphan":
      try execute("PRAGMA foreign_keys = OFF; INSERT INTO person (user, name, office) VALUES (99, '', '')")
      reason = "is damaged (a row of person refers to none)"
    case "missing":
      path = file.path + ".nowhere"
      reason = "(No such file or directory)"
    case "folder":
      path = test.folder.path
      reason = "(it is not a file)"
    default:
      path = test.folder.path + "/understudy.sqlite"
      reason = "is the database of \(test.folder.path) itself"
    }
    let before = try test.contents()
    let (status, output, errors) = try test.folder.run("restore", path)
    #expect(status == 1)
    #expect(output.isEmpty)
    #expect(errors.contains(reason), "\(errors)")
    #expect(errors.hasSuffix("nothing was changed\n"))
    #expect(errors.split(separator: "\n").count == 1)
    #expect(try test.contents() == before)
    let place = test.folder.beside("new")
    #expect(
      try ServerProcess.run(["restore", path, "--data", place.path]).status == (kind == "itself" ? 0 : 1))
    #expect(FileManager.default.fileExists(atPath: place.path) == (kind == "itself"))
    #expect(!FileManager.default.fileExists(atPath: evil))
  }

  /// Found in a backup once.
  private static let photograph = "what a photograph's bytes are"

  /// Leaves of a backup what others take for all of it: the database.
  private func removeSeal(from file: URL) throws {
    let bytes = try Data(contentsOf: file)
    if let seal = bytes.range(of: Data("\nunderstudy backup 1 ".utf8), options: .backwards) {
      try bytes.prefix(upTo: seal.lowerBound).write(to: file)
    }
  }

  @Test("a backup is taken by a link, and a copy of the database that has no seal too")
  func links() throws {
    let test = try Case()
    let link = test.folder.beside("link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: test.backup)
    #expect(try test.folder.run("restore", link.path).status == 0)
    #expect(try test.users() == ["new"])
    #expect(try test.word("images/photo.jpg") == "new")
    let copy = test.folder.beside("copy.sqlite")
    try FileManager.default.copyItem(at: test.folder.url.appending(path: "understudy.sqlite"), to: copy)
    #expect(try test.folder.run("restore", copy.path).status == 0)
    #expect(try test.users() == ["new"])
  }

  @Test("a backup that has lost its seal, or anything of it, is refused", arguments: [0, 1, 2, 60, 119])
  func unsealed(missing: Int) throws {
    let test = try Case()
    let before = try test.contents()
    if missing == 0 {
      // Something came behind it.
      let whole = try Data(contentsOf: test.backup)
      try (whole + Data([0])).write(to: test.backup)
    } else if missing == 119 {
      try removeSeal(from: test.backup)
      #expect(try Data(contentsOf: test.backup).count % 512 == 0)
    } else {
      try Data(contentsOf: test.backup).dropLast(missing).write(to: test.backup)
    }
    let (status, _, errors) = try test.folder.run("restore", test.backup.path)
    #expect(status == 1)
    #expect(errors.contains("changed, or not copied whole"), "\(errors)")
    #expect(try test.contents() == before)
  }

  @Test(
    "links in the way are named, and neither they nor what they lead to is touched",
    arguments: ["understudy.sqlite", "understudy.sqlite-wal", "images", "tls"])
  func linked(name: String) throws {
    let test = try Case()
    let elsewhere = test.folder.beside("elsewhere")
    let own = test.folder.url.appending(path: name)
    if name.hasSuffix("-wal") {
      try Data("a log".utf8).write(to: elsewhere)
    } else {
      try FileManager.default.moveItem(at: own, to: elsewhere)
    }
    try FileManager.default.createSymbolicLink(atPath: own.path, withDestinationPath: "../elsewhere")
    let before = try test.contents()
    let (status, _, errors) = try test.folder.run("restore", test.backup.path)
    #expect(status == 1)
    let kind = name == "understudy.sqlite" ? "a link to" : "a symbolic link"
    #expect(errors.contains("\(own.path) is \(kind)"), "\(errors)")
    #expect(errors.hasSuffix("nothing was changed\n"))
    #expect(try test.contents() == before)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: own.path) == "../elsewhere")
    guard name == "images" || name == "tls" else { return }
    let file = elsewhere.appending(path: name == "images" ? "photo.jpg" : "ca.pem")
    #expect(try String(contentsOf: file, encoding: .utf8) == "old")
    // Where the backup has nothing for that place it isn't in the way.
    let plain = test.folder.beside("plain.sqlite")
    try FileManager.default.copyItem(at: test.backup, to: plain)
    try removeSeal(from: plain)
    try Connection(path: plain.path, access: .readWrite).execute("DROP TABLE sqlar")
    #expect(try test.folder.run("restore", plain.path).status == 0)
    #expect(try test.users() == ["new"])
    #expect(try test.word(name == "images" ? "images/photo.jpg" : "tls/ca.pem") == "old")
  }

  @Test("refuses while a server has the folder, or the file")
  func served() throws {
    let test = try Case()
    let server = try test.folder.serve()
    let (status, _, errors) = try test.folder.run("restore", test.backup.path)
    #expect(status == 1)
    #expect(errors == "understudy: a server has \(test.folder.path): stop it first; nothing was changed\n")
    let place = test.folder.beside("new")
    let database = test.folder.path + "/understudy.sqlite"
    let (other, _, complaint) = try ServerProcess.run(["restore", database, "--data", place.path])
    #expect(other == 1)
    #expect(complaint.contains("a server has \(database): have it make a backup"))
    #expect(try server.logIn("old", password: "pw").status == 200)
    server.end()
  }

  #if os(Linux)
    @Test(
      "on a full disk nothing of it is done",
      .enabled(if: MountedDisk.isAvailable, "no disk can be mounted here"))
    func fullDisk() throws {
      let test = try Case()
      let disk = try MountedDisk(size: "1m")
      let place = disk.path + "/data"
      #expect(
        try ServerProcess.run(
          ["users", "add", "old", "--app", "invasive", "--create", "--data", place], launcher: disk.launcher,
          input: "pw"
        ).status == 0)
      let names = try FileManager.default.contentsOfDirectory(atPath: disk.url.appending(path: "data").path)
      for room in [0, 40_000, 100_000] {
        try Data(count: room).write(to: disk.url.appending(path: "room"))
        try disk.fill()
        try disk.remove("room")
        let (status, _, errors) = try ServerProcess.run(
          ["restore", test.backup.path, "--data", place], launcher: disk.launcher)
        #expect(status == 1)
        #expect(errors.contains("the disk of \(place) is full"), "\(errors)")
        try disk.remove()
        let after = try FileManager.default.contentsOfDirectory(atPath: disk.url.appending(path: "data").path)
        #expect(after.sorted() == names.sorted())
        let (_, list, _) = try ServerProcess.run(
          ["users", "list", "--app", "invasive", "--data", place], launcher: disk.launcher)
        #expect(list.contains("old"))
      }
      #expect(
        try ServerProcess.run(["restore", test.backup.path, "--data", place], launcher: disk.launcher).status
          == 0)
    }

    @Test(
      "a disk in the place of the pictures is named, and nothing is begun",
      .enabled(if: MountedDisk.isAvailable, "no disk can be mounted here"))
    func mounted() throws {
      let test = try Case()
      let disk = try MountedDisk(size: "1m")
      let images = test.folder.path + "/images"
      try disk.run(["mount", "--bind", disk.path, images])
      let (status, _, errors) = try test.folder.run("restore", test.backup.path, launcher: disk.launcher)
      #expect(status == 1)
      #expect(errors.contains("\(images) is a disk of its own"), "\(errors)")
      #expect(try test.users() == ["old"])
      #expect(try test.word("images/photo.jpg") == "old")
    }

    @Test(
      "killed at any moment, it leaves the old data or the new ones, whole",
      .enabled(if: KillPoints.isAvailable))
    func killed() throws {
      let test = try Case(killed: true)
      let kept = test.folder.beside("kept")
      // A socket can't be copied.
      try FileManager.default.removeItem(at: test.folder.url.appending(path: "control.sock"))
      try FileManager.default.copyItem(at: test.folder.url, to: kept)
      let points = try KillPoints(in: kept.deletingLastPathComponent())
      var seen: Set<[String]> = []
      let kills = try points.each(of: ["restore", test.backup.path, "--data", test.folder.path]) {
        try? FileManager.default.removeItem(at: test.folder.url)
        try FileManager.default.copyItem(at: kept, to: test.folder.url)
      } check: { point in
        let users = try test.users()
        let isNew = users == ["new"]
        #expect(isNew || users == ["old", "old in the log"], "\(point)")
        for name in ["images/photo.jpg", "tls/ca.pem"] {
          #expect(try test.word(name) == (isNew ? "new" : "old"), "\(point)")
        }
        #expect(!test.folder.entries.contains { $0.hasPrefix(".") }, "\(point)")
        let aside = test.folder.entries.filter { $0.hasPrefix("before-restore-") }
        #expect(aside.count == (isNew ? 1 : 0), "\(point)")
        if let folder = aside.first {
          let log = test.folder.url.appending(path: folder).appending(path: "understudy.sqlite-wal")
          #expect(FileManager.default.fileExists(atPath: log.path), "\(point)")
        }
        seen.insert(users)
      }
      #expect(kills > 30)
      #expect(seen.count == 2)
    }
  #endif
}
