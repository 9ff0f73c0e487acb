import Foundation
import TestSupport
import Testing

@Suite("What a command says")
struct OutputTests {
  /// Commands that succeed and say something, little or much.
  private static let commands = [
    ["help"], ["--version"], ["help", "--manual"], ["users", "add", "--help"],
    ["users", "list", "--app", "invasive"],
    ["users", "rename", "ada", "eve", "--app", "invasive"],
    ["users", "delete", "ada", "--yes", "--app", "invasive"],
    ["import", "parks", "PARKS"], ["backup", "BACKUP"], ["hosts"], ["health"],
  ]

  private func run(_ words: [String], _ script: String) throws -> (status: Int32, errors: String) {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    #expect(try server.signUp("ada").status == 200)
    let parks = folder.beside("parks.csv")
    try Data("id,name,county\n1,Park,\n".utf8).write(to: parks)
    let names = ["PARKS": parks.path, "BACKUP": folder.beside("backup.sqlite").path]
    let (status, _, errors) = try ServerProcess.run(
      words.map { names[$0] ?? $0 },
      environment: [
        "UNDERSTUDY_DATA": folder.path, "UNDERSTUDY_PORT": "\(server.port)", "UNDERSTUDY_NAMES": "a.example",
        "PIPE": folder.beside("pipe").path,
      ], launcher: ["/bin/sh", "-c", script])
    server.end()
    return (status, errors)
  }

  @Test("is written, or else it fails", arguments: commands)
  func full(words: [String]) throws {
    let (status, errors) = try run(words, #"exec "$0" "$@" >/dev/full"#)
    #expect(status == 1)
    #expect(errors.contains("can't write to standard output (No space left on device)"), "\(errors)")
  }

  @Test(
    "is nowhere where standard output is closed, and then it fails",
    arguments: commands + [["export", "parks"]])
  func closed(words: [String]) throws {
    let (status, errors) = try run(words, #"exec "$0" "$@" >&-"#)
    #expect(status == 1)
    #expect(errors.contains("(Bad file descriptor)"), "\(errors)")
  }

  @Test("is no password that is lost, where standard output is closed")
  func closedPasswords() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    let (status, _, errors) = try folder.run(
      "users", "add", "ada", "--app", "invasive", "--generate",
      launcher: ["/bin/sh", "-c", #"exec "$0" "$@" >&-"#])
    #expect(status == 1)
    #expect(errors.contains("nothing was changed"), "\(errors)")
    #expect(try !folder.run("users", "list", "--app", "invasive").output.contains("ada"))
    server.end()
  }

  @Test("ends with the signal where nobody reads it any more", arguments: commands)
  func closedPipe(words: [String]) throws {
    let (status, errors) = try run(
      words, #"mkfifo "$PIPE"; exec 3<>"$PIPE" 4>"$PIPE" 3<&-; exec "$0" "$@" >&4"#)
    #expect(status == SIGPIPE)
    #expect(errors.isEmpty, "\(errors)")
  }
}
