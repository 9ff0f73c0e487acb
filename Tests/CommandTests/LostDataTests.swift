import Foundation
import TestSupport
import Testing

@Suite("a data folder whose database is gone")
struct LostDataTests {
  @Test(
    "no command and no server puts a new one in its place, doctor says so, and a backup brings it back",
    arguments: [true, false], ["identity", "understudy.sqlite-wal", "backups"])
  func lost(isEmpty: Bool, trace: String) throws {
    let folder = try DataFolderUnderTest()
    #expect(try folder.run("users", "add", "ada", "--app", "invasive", "--create", input: "pw\n").status == 0)
    let backup = folder.beside("backup.sqlite").path
    #expect(try folder.run("backup", backup).status == 0)
    let (database, identity) = (folder.path + "/understudy.sqlite", folder.path + "/identity")
    if trace != "identity" { try FileManager.default.removeItem(atPath: identity) }
    if trace == "understudy.sqlite-wal" {
      try Data("a log".utf8).write(to: folder.url.appending(path: trace))
    }
    if trace == "backups" {
      #expect(try folder.run("backup", folder.path + "/backups").status == 0)
      try FileManager.default.removeItem(atPath: identity)
    }
    try FileManager.default.removeItem(atPath: database)
    if isEmpty { try Data().write(to: URL(filePath: database)) }
    let said = "\(database) is \(isEmpty ? "empty" : "gone"), though "
    for command in [
      ["users", "list", "--app", "invasive"], ["users", "add", "bob", "--app", "invasive", "--create"],
      ["export", "users"], ["backup", backup], ["serve", "--port", "0"],
    ] {
      let (status, _, errors) = try folder.run(command, input: "pw\n")
      #expect(status == 1)
      #expect(errors.hasPrefix("understudy: \(said)") && errors.contains("understudy restore"), "\(errors)")
    }
    #expect(try folder.run("doctor", "--port", "0").output.contains("!!  \(said)"))
    try? FileManager.default.removeItem(atPath: database + "-wal")
    #expect(try folder.run("restore", backup).status == 0)
    #expect(try folder.run("users", "list", "--app", "invasive").output.contains("ada"))
  }

  @Test("an empty file that nothing came into yet is a new database")
  func new() throws {
    let folder = try DataFolderUnderTest()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    try Data().write(to: folder.url.appending(path: "understudy.sqlite"))
    let (status, _, errors) = try folder.run("users", "list", "--app", "invasive")
    #expect(status == 1 && errors.contains("there are no data of understudy in"), "\(errors)")
    try folder.serve().end()
    #expect(try folder.run("users", "list", "--app", "invasive").status == 0)
  }
}
