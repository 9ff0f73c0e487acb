import Foundation
import TestSupport
import Testing

@Suite("A command whose data folder isn't there")
struct NewFolderTests {
  private static let commands = [
    ["users", "add", "ada", "--app", "invasive"], ["users", "add", "--csv", "ROSTER", "--app", "directory"],
    ["import", "parks", "PARKS"], ["mirror", "http://127.0.0.1:1"],
  ]

  private func run(_ words: [String], _ folder: DataFolderUnderTest) throws -> (status: Int32, errors: String)
  {
    let roster = folder.beside("roster.csv")
    let parks = folder.beside("parks.csv")
    try Data("name,password\nada,pw\n".utf8).write(to: roster)
    try Data("id,name,county\n1,Park,\n".utf8).write(to: parks)
    let names = ["ROSTER": roster.path, "PARKS": parks.path]
    let (status, _, errors) = try folder.run(words.map { names[$0] ?? $0 }, input: "pw\n")
    return (status, errors)
  }

  @Test("makes none without --create, nor data in one that holds none", arguments: commands, [true, false])
  func refused(words: [String], isThere: Bool) throws {
    let folder = try DataFolderUnderTest()
    if isThere {
      try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    }
    let (status, errors) = try run(words, folder)
    #expect(status == 1)
    #expect(
      errors
        == "understudy: there are no data of understudy in \(folder.path): say with --data which folder is meant, or with --create that a new one is to be made there\n"
    )
    #expect(FileManager.default.fileExists(atPath: folder.path) == isThere)
    #expect(folder.entries.isEmpty)
  }

  @Test("makes it with --create, and takes one that is there", arguments: commands.dropLast())
  func made(words: [String]) throws {
    let folder = try DataFolderUnderTest()
    #expect(try run(words + ["--create"], folder).status == 0)
    #expect(try folder.integer("SELECT count(*) FROM species") == 48)
    #expect(try folder.integer("SELECT count(*) FROM user") == (words.contains("invasive") ? 1 : 0))
    let names = words.map { $0 == "ada" ? "eve" : $0 }
    let again = try run(names + ["--create"], folder)
    #expect(again.status == (words.contains("ROSTER") ? 1 : 0), "\(again.errors)")
  }

  @Test("doesn't make it to try something out")
  func trial() throws {
    let folder = try DataFolderUnderTest()
    let (status, errors) = try run(["import", "parks", "PARKS", "--dry-run", "--create"], folder)
    #expect(status == 2)
    #expect(errors.contains("--dry-run changes nothing: it doesn't go with --create"))
  }
}
