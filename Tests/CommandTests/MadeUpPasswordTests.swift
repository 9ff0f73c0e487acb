import Foundation
import TestSupport
import Testing

@Suite("Passwords that understudy users makes up")
struct MadeUpPasswordTests {
  /// A folder with the user ada, and a roster beside it.
  private func folder(roster: String = "name\nbob\neve\n") throws -> DataFolderUnderTest {
    let folder = try DataFolderUnderTest()
    try Data(roster.utf8).write(to: folder.beside("roster.csv"))
    #expect(
      try folder.run("users", "add", "ada", "--app", "invasive", "--create", input: "secret").status == 0)
    return folder
  }

  /// A roster whose passwords take their time.
  private let many = "name\n" + (1...150).map { "student \($0)\n" }.joined()

  private func arguments(_ words: [String], _ folder: DataFolderUnderTest) -> [String] {
    ["users"] + words.map { $0 == "ROSTER" ? folder.beside("roster.csv").path : $0 }
      + ["--app", "invasive", "--data", folder.path]
  }

  private static let commands = [
    ["add", "--csv", "ROSTER"], ["add", "bob", "--generate"], ["reset-password", "ada", "--generate"],
  ]

  @Test(
    "are never lost: where they can't be written nothing is changed", arguments: commands,
    [
      // Its reader has gone for certain.
      (
        #"mkfifo "$UNDERSTUDY_PIPE"; exec 3<>"$UNDERSTUDY_PIPE" 4>"$UNDERSTUDY_PIPE" 3<&-; exec "$0" "$@" >&4"#,
        "Broken pipe"
      ), (#"exec "$0" "$@" >/dev/full"#, "No space left on device"),
    ])
  func unwritable(words: [String], output: (script: String, reason: String)) throws {
    let folder = try folder()
    let before = try folder.integer("SELECT count(*) FROM user")
    let (status, _, errors) = try ServerProcess.run(
      arguments(words, folder),
      environment: ["UNDERSTUDY_PIPE": folder.beside("pipe").path],
      launcher: ["/bin/sh", "-c", output.script])
    #expect(status == 1)
    #expect(
      errors
        == "understudy: can't write the passwords to standard output (\(output.reason)): nothing was changed, and those that were written are of no use\n"
    )
    #expect(try folder.integer("SELECT count(*) FROM user") == before)
    let server = try folder.serve()
    #expect(try server.logIn("ada", password: "secret").status == 200)
    server.end()
  }

  @Test("go into a new file for its owner alone, which the other app takes as a roster", arguments: commands)
  func outputFile(words: [String]) throws {
    let folder = try folder()
    let file = folder.beside("passwords.csv")
    let command = arguments(words, folder) + ["--output", file.path]
    let (status, output, errors) = try ServerProcess.run(command)
    #expect(status == 0, "\(errors)")
    let written = try String(contentsOf: file, encoding: .utf8)
    let rows = written.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
    #expect(rows.first == ["name", "password"])
    #expect(rows.count == (words.contains("--csv") ? 3 : 2))
    #expect(rows.dropFirst().allSatisfy { !output.contains($0[1]) && !errors.contains($0[1]) })
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
    let (again, _, complaint) = try ServerProcess.run(command)
    #expect(again == 1)
    #expect(
      complaint == "understudy: \(file.path) is there already: say with --output where there is nothing yet\n"
    )
    #expect(try String(contentsOf: file, encoding: .utf8) == written)
    #expect(try folder.run("users", "add", "--app", "directory", "--csv", file.path).status == 0)
    let server = try folder.serve()
    for row in rows.dropFirst() {
      for app in ["invasive", "directory"] {
        #expect(try server.logIn(row[0], password: row[1], app: app).status == 200)
      }
    }
    server.end()
  }

  @Test("are not shown where the command is stopped while it hashes them, and nothing is changed")
  func stopped() throws {
    let folder = try folder(roster: many)
    let server = try folder.serve()
    let terminal = try TerminalProcess(arguments(["add", "--csv", "ROSTER"], folder))
    try terminal.expect(" of 150, ")
    // One that no test's thread has blocked.
    terminal.signal(SIGKILL)
    #expect(terminal.wait() == SIGKILL)
    #expect(!terminal.shown.contains("password,"))
    #expect(!terminal.shown.contains("student"))
    // There is nothing that the server would go on with.
    #expect(try server.signUp("student 150").status == 200)
    server.end()
    #expect(try folder.integer("SELECT count(*) FROM user") == 2)
    #expect(!server.log.contains("POST /users/invasive\""))
  }

  @Test(
    "that are of no use, since the change was refused in the end, are said to be", arguments: [true, false])
  func refusedInTheEnd(hasFile: Bool) throws {
    let folder = try folder(roster: many)
    let server = try folder.serve()
    let file = folder.beside("passwords.csv").path
    let terminal = try TerminalProcess(
      arguments(["add", "--csv", "ROSTER"], folder) + (hasFile ? ["--output", file] : []))
    try terminal.expect(" of 150, ")
    // Whoever signs up meanwhile is there before the class is.
    #expect(try server.signUp("student 150").status == 200)
    #expect(try server.logIn("ada", password: "secret").status == 200)
    try terminal.expect("understudy: line 151: the name 'student 150' is taken")
    try terminal.expect(
      hasFile
        ? "understudy: nothing was changed, and \(file) is removed"
        : "understudy: nothing was changed: the passwords that were printed are of no use")
    #expect(terminal.wait() == 1)
    #expect(terminal.shown.contains("student 7,") == !hasFile)
    #expect(!FileManager.default.fileExists(atPath: file))
    server.end()
    #expect(try folder.integer("SELECT count(*) FROM user") == 2)
  }
}
