import Foundation
import TestSupport
import Testing

@Suite("where a backup goes")
struct BackupPlaceTests {
  /// A data folder with a user of that name.
  private func folder(_ user: String) throws -> DataFolderUnderTest {
    let folder = try DataFolderUnderTest()
    #expect(try folder.run("users", "add", user, "--app", "invasive", "--create", input: "pw\n").status == 0)
    return folder
  }

  private func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func makeFolder(_ url: URL) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  @Test("the data folder's own folder for backups is made where it isn't there yet")
  func own() throws {
    let folder = try folder("ada")
    for place in [folder.path + "/backups", folder.path + "/backups/"] {
      try? FileManager.default.removeItem(atPath: place)
      #expect(try folder.run("backup", place).status == 0)
      #expect(try names(in: folder.url.appending(path: "backups")).count == 1)
    }
    #expect(try folder.run("backup", folder.path + "/images/backups").status == 1)
  }

  @Test(
    "several servers and commands that write to one file and one folder at once have whole ones in the end")
  func several() throws {
    let users = ["ada", "bob", "cleo", "dora"]
    let folders = try users.map(folder)
    let server = try folders[0].serve()
    let (file, place) = (folders[0].beside("backup.sqlite"), folders[0].beside("dated"))
    try makeFolder(place)
    for round in 1...3 {
      let works = folders.flatMap { folder in
        [file, place].map { ["backup", $0.path, "--data", folder.path] }
      }
      for (status, _, errors) in try onThreads(works, { try ServerProcess.run($0) }) {
        #expect((status, errors) == (0, ""))
      }
      let last = try BackupUnderTest(file)
      #expect(last.defects.isEmpty && last.users.count == 1 && users.contains(last.users[0]))
      #expect(try folders[1].run("restore", file.path).status == 0)
      let dated = try names(in: place)
      #expect(dated.count == 4 * round)
      let held = try dated.map { name in
        let backup = try BackupUnderTest(place.appending(path: name))
        #expect(backup.defects.isEmpty)
        return backup.users.joined()
      }
      if round == 1 { #expect(held.sorted() == users) }
    }
    server.end()
    #expect(try names(in: file.deletingLastPathComponent()) == ["backup.sqlite", "data", "dated"])
  }

  @Test("what a killed one has left is removed by the next there, and nothing of one that lives")
  func leftovers() throws {
    let folder = try folder("ada")
    let file = folder.beside("backup.sqlite")
    let (dead, living, strange) = (
      folder.beside(".understudy-partial-dEaD00"), folder.beside(".understudy-partial-LiVe00"),
      folder.beside(".understudy-partial-sTrA00")
    )
    for place in [dead, living, strange] {
      try makeFolder(place)
      for name in ["backup", "backup-journal"] {
        try Data("half".utf8).write(to: place.appending(path: name))
      }
    }
    try Data("mine".utf8).write(to: strange.appending(path: "notes.txt"))
    let lock = open(living.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    #expect(try folder.run("backup", file.path).status == 0)
    #expect(
      try names(in: file.deletingLastPathComponent()) == [
        living.lastPathComponent, strange.lastPathComponent, "backup.sqlite", "data",
      ])
    #expect(try names(in: living) == ["backup", "backup-journal"])
    #expect(try names(in: strange) == ["notes.txt"])
  }

  @Test("of the dated ones as many are kept as wanted, and only what is this folder's is removed")
  func pruning() throws {
    let (folder, other) = (try folder("ada"), try folder("bob"))
    let place = folder.beside("backups")
    try makeFolder(place)
    let hand = "understudy-2001-01-01T00-00-00Z.sqlite"
    let copy = "understudy-2001-01-01T00-00-01Z.sqlite"
    let linked = "understudy-2001-01-01T00-00-02Z.sqlite"
    try Data("made by hand".utf8).write(to: place.appending(path: hand))
    try FileManager.default.copyItem(
      at: folder.url.appending(path: "understudy.sqlite"), to: place.appending(path: copy))
    #expect(try other.run("backup", place.path).status == 0)
    let theirs = try names(in: place).filter { ![hand, copy].contains($0) }
    #expect(try folder.run("backup", place.path).status == 0)
    let first = try #require(try names(in: place).first { !(theirs + [hand, copy]).contains($0) })
    // One that a clock ahead has named is ours as well; by a link it isn't there.
    let future = "understudy-2999-01-01T00-00-00Z.sqlite"
    try FileManager.default.moveItem(at: place.appending(path: first), to: place.appending(path: future))
    try FileManager.default.createSymbolicLink(
      atPath: place.appending(path: linked).path, withDestinationPath: future)
    #expect(try folder.run("backup", place.path, "--keep", "3").output.contains("removed") == false)
    let second = try #require(
      try names(in: place).first { !(theirs + [hand, copy, linked, future]).contains($0) })
    let (status, output, errors) = try folder.run("backup", place.path, "--keep", "2")
    #expect(status == 0)
    #expect(output.hasSuffix("\nremoved \(second)\n"))
    #expect(
      errors == "understudy: 4 other files with such a name stay: they are no backups of this data folder\n")
    let left = try names(in: place)
    #expect(left.count == 6)
    #expect(Set(left).isSuperset(of: theirs + [hand, copy, linked, future]))
    // The new one always stays, and gets a name that is free.
    let third = try #require(left.first { !(theirs + [hand, copy, linked, future]).contains($0) })
    #expect(try BackupUnderTest(place.appending(path: third)).users == ["ada"])
    // Beside a server too, and after a restore of somebody else's the folder is the same one.
    #expect(try folder.run("restore", place.appending(path: theirs[0]).path).status == 0)
    let server = try folder.serve()
    #expect(
      try folder.run("backup", place.path, "--keep", "1").output.contains(
        "removed \(third)\nremoved \(future)\n"))
    server.end()
    #expect(try names(in: place).count == 5)
  }

  @Test("a link to a file has that file replaced, and one that leads nowhere, or to no backup, is refused")
  func links() throws {
    let folder = try folder("ada")
    let (link, disk) = (folder.beside("last.sqlite"), folder.beside("disk"))
    try makeFolder(disk)
    let file = disk.appending(path: "backup.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let nowhere = try folder.run("backup", link.path)
    #expect(nowhere.status == 1)
    #expect(nowhere.errors.contains("\(link.path) is a link that leads nowhere"))
    #expect(try folder.run("backup", file.path).status == 0)
    #expect(try folder.run("users", "add", "bob", "--app", "invasive", "--create", input: "pw\n").status == 0)
    #expect(try folder.run("backup", link.path).status == 0)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
    #expect(try BackupUnderTest(file).users == ["ada", "bob"])
    // A file among the pictures is served to everybody, by whatever path it came there.
    let pictures = folder.beside("pictures")
    try FileManager.default.moveItem(at: folder.url.appending(path: "images"), to: pictures)
    try FileManager.default.createSymbolicLink(
      at: folder.url.appending(path: "images"), withDestinationURL: pictures)
    let among = try folder.run("backup", pictures.appending(path: "x.png").path)
    #expect(among.status == 1)
    #expect(among.errors.contains("among the data themselves"))
    let notes = folder.beside("notes.txt")
    try Data("notes".utf8).write(to: notes)
    try FileManager.default.removeItem(at: link)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: notes)
    let refused = try folder.run("backup", link.path)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("is there already and is no backup"))
    #expect(try Data(contentsOf: notes) == Data("notes".utf8))
  }
}
