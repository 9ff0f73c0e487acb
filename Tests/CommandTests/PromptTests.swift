import Foundation
import TestSupport
import Testing

@Suite("What understudy users asks at a terminal")
struct PromptTests {
  private func start(_ folder: DataFolderUnderTest, _ arguments: String...) throws -> TerminalProcess {
    try TerminalProcess(["users"] + arguments + ["--app", "invasive", "--data", folder.path])
  }

  @Test("a password is typed twice and never shown; corrections count")
  func password() throws {
    let folder = try DataFolderUnderTest()
    let terminal = try start(folder, "add", "ada", "--create")
    try terminal.expect("password for ada (none: one is made up): ")
    // A character of two bytes, taken back; then all of it, and anew.
    try terminal.type("wrong\u{15}secreé\u{7F}t\n")
    try terminal.expect("the same again: ")
    try terminal.type("secret\n")
    try terminal.expect("added ada")
    #expect(terminal.wait() == 0)
    #expect(!terminal.shown.contains("secre"))
    let differing = try start(folder, "reset-password", "ada")
    try differing.expect("made up): ")
    try differing.type("one\n")
    try differing.expect("again: ")
    try differing.type("other\n")
    try differing.expect("they differ: nothing was changed")
    #expect(differing.wait() == 1)
    let stopped = try start(folder, "reset-password", "ada")
    try stopped.expect("made up): ")
    try stopped.type("one\u{3}")
    #expect(stopped.wait() == 1)
    let server = try folder.serve()
    #expect(try server.logIn("ada", password: "secret").status == 200)
    server.end()
  }

  @Test("a deletion is asked about, keeps nobody from the folder meanwhile, and takes no more than it said")
  func deletion() throws {
    let folder = try DataFolderUnderTest()
    let (added, _, _) = try folder.run("users", "add", "ada", "--app", "invasive", "--create", input: "pw")
    #expect(added == 0)
    let refused = try start(folder, "delete", "ada")
    try refused.expect("this deletes ada of the invasive app with 0 observations")
    try refused.expect("Is that meant? [y/N] ")
    // A server can begin while the question waits.
    let server = try folder.serve()
    let sighting = #"{"user":1,"species":1,"park":1,"comment":"","date":""}"#
    #expect(try server.answer("POST", "/invasive/observations", sighting).status == 200)
    try refused.type("y\n")
    try refused.expect("'ada' has 1 observation by now: nothing was deleted, do it again.")
    #expect(refused.wait() == 1)
    #expect(try server.logIn("ada", password: "pw").status == 200)
    let declined = try start(folder, "delete", "ada")
    try declined.expect("[y/N] ")
    try declined.type("\n")
    try declined.expect("nothing was deleted")
    #expect(declined.wait() == 1)
    let agreed = try start(folder, "delete", "ada")
    try agreed.expect("[y/N] ")
    try agreed.type("yes\n")
    try agreed.expect("deleted ada of the invasive app with 1 observation")
    #expect(agreed.wait() == 0)
    #expect(try server.logIn("ada", password: "pw").status == 401)
    server.end()
  }
}
