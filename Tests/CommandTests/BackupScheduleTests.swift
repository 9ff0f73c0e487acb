import Foundation
import TestSupport
import Testing

@Suite("understudy serve --backup-every")
struct BackupScheduleTests {
  private func wait(_ server: ServerProcess, for isThere: (String) throws -> Bool) throws {
    for _ in 0..<3000 {
      if try isThere(server.log) { return }
      usleep(10_000)
    }
    Issue.record("it doesn't come: \(server.log)")
  }

  private func backups(of folder: DataFolderUnderTest) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "backups").path).sorted()
  }

  @Test("makes one after the other while it serves, and keeps as many as it is told to")
  func rhythm() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve(["--backup-every", "1s", "--backup-keep", "2"])
    #expect(try server.signUp("ada").status == 200)
    try Data("a photograph".utf8).write(to: folder.url.appending(path: "images/photo.jpg"))
    try wait(server) { $0.components(separatedBy: #""message":"backup made""#).count > 4 }
    server.end()
    let names = try backups(of: folder)
    #expect(names.count == 2)
    #expect(try folder.mode("backups") == 0o700)
    let last = folder.url.appending(path: "backups/\(names[1])")
    #expect(try BackupUnderTest(last).users == ["ada"])
    #expect(try BackupUnderTest(last).files.isEmpty)
    // It brings back what is in it, and lets the photographs be.
    #expect(try folder.run("users", "delete", "ada", "--app", "invasive", "--yes").status == 0)
    #expect(try folder.run("restore", last.path).status == 0)
    #expect(try folder.run("users", "list", "--app", "invasive").output.contains("ada"))
    #expect(folder.entries.contains("images"))
    #expect(
      try Data(contentsOf: folder.url.appending(path: "images/photo.jpg")) == Data("a photograph".utf8))
  }

  @Test("says in the log when one fails, serves on, and tries again")
  func failure() throws {
    let folder = try DataFolderUnderTest()
    #expect(try folder.run("users", "add", "ada", "--app", "invasive", "--create", input: "pw").status == 0)
    let obstacle = folder.url.appending(path: "backups")
    try Data().write(to: obstacle)
    let server = try folder.serve(["--backup-every", "1s"])
    try wait(server) { $0.contains(#""level":"error","message":"backup failed; it is tried again""#) }
    #expect(try server.logIn("ada", password: "pw").status == 200)
    try FileManager.default.removeItem(at: obstacle)
    try wait(server) { $0.contains(#""message":"backup made""#) }
    server.end()
    #expect(try !backups(of: folder).isEmpty)
  }

  @Test("a restart doesn't begin the period anew: one that is due is made at once")
  func due() throws {
    let folder = try DataFolderUnderTest()
    let place = folder.url.appending(path: "backups")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    #expect(try folder.run("users", "add", "ada", "--app", "invasive", "--create", input: "pw").status == 0)
    #expect(try folder.run("backup", place.path).status == 0)
    let made = place.appending(path: try #require(backups(of: folder).first))
    let old = place.appending(path: "understudy-2001-01-01T00-00-00Z.sqlite")
    try FileManager.default.moveItem(at: made, to: old)
    // What somebody else has put there says nothing.
    try Data().write(to: place.appending(path: "understudy-2999-01-01T00-00-00Z.sqlite"))
    let server = try folder.serve(["--backup-every", "365d"])
    try wait(server) { $0.contains(#""message":"backup made""#) }
    server.end()
    #expect(try backups(of: folder).count == 3)
  }
}
