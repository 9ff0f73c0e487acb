import Foundation
import SQLite
import TestSupport
import Testing

@Suite("understudy users")
struct UsersTests {
  /// A folder, beside a server or without one.
  private struct Place {
    let folder: DataFolderUnderTest
    let server: ServerProcess?

    init(isServed: Bool) throws {
      folder = try DataFolderUnderTest()
      server = isServed ? try folder.serve() : nil
    }

    /// The status of a login.
    func logIn(_ name: String, _ password: String, _ app: String) throws -> Int {
      if let server { return try server.logIn(name, password: password, app: app).status }
      let server = try folder.serve()
      defer { server.end() }
      return try server.logIn(name, password: password, app: app).status
    }
  }

  @Test(
    "a user that was added, renamed and given another password logs in, for each app",
    arguments: ["invasive", "directory"], [true, false])
  func life(app: String, isServed: Bool) throws {
    let place = try Place(isServed: isServed)
    let folder = place.folder
    func run(_ arguments: String..., input: String = "") throws -> String {
      let (status, output, errors) = try folder.run(["users"] + arguments + ["--app", app], input: input)
      #expect(status == 0, "\(errors)")
      #expect(errors.isEmpty)
      return output
    }
    #expect(try run("add", "ada", "--create", input: "first-secret\n") == "added ada\n")
    #expect(try place.logIn("ada", "first-secret", app) == 200)
    #expect(try run("rename", "ada", "zoë") == "ada is zoë now\n")
    #expect(try place.logIn("ada", "first-secret", app) == 401)
    #expect(try place.logIn("zo%C3%AB", "first-secret", app) == 200)
    // The name as another keyboard writes it.
    #expect(
      try run("reset-password", "zoe\u{308}", input: "second-secret") == "zoë has another password now\n")
    #expect(try place.logIn("zo%C3%AB", "first-secret", app) == 401)
    #expect(try place.logIn("zo%C3%AB", "second-secret", app) == 200)
    let made = try run("reset-password", "zoë", "--generate")
    let password = try #require(
      made.wholeMatch(of: #/password for zoë: (\w{10})\nzoë has another password now\n/#)?.1)
    #expect(try place.logIn("zo%C3%AB", String(password), app) == 200)
    #expect(try run("list").contains("1   zoë"))
    #expect(try run("delete", "zoë", "--yes").contains("deleted zoë of the \(app) app with 0"))
    #expect(try place.logIn("zo%C3%AB", String(password), app) == 401)
    // What the server wrote of it all has no password in it, and says what was done.
    let log = place.server?.log ?? ""
    for secret in ["first-secret", "second-secret", String(password)] { #expect(!log.contains(secret)) }
    #expect(!isServed || log.contains("POST /users/\(app)/password"))
    place.server?.end()
  }

  @Test(
    "names and passwords that can't be are refused with a line",
    arguments: [
      (["add", "ada"], "again", "The name 'ada' is taken: choose another one, or log in."),
      (["add", String(repeating: "x", count: 201)], "pw", "at most 200 are taken"),
      (["add", "eve"], "", "there is no password at standard input"),
      (["add", " \u{2060}\u{2800}"], "pw", "' \\u{2060}\u{2800}' can't be taken: it is blank."),
      (["add", "a\u{1B}[2J"], "pw", "it has a character in it that nobody sees (U+001B)"),
      (["add", "a\u{200B}b", "--generate"], "", "nobody sees (U+200B)"),
      (["rename", "bob", "a\u{2067}b"], "", "nobody sees (U+2067)"),
      (["rename", "bob", "a\nb"], "", "nobody sees (U+000A)"),
      (["reset-password", "ada"], String(repeating: "x", count: 201), "at most 200 are taken"),
      (["rename", "bob", "ada"], "", "The name 'ada' is taken: choose another one."),
      (["rename", "nobody", "x"], "", "There is no user 'nobody' of the invasive app."),
      (["reset-password", "nobody", "--generate"], "", "There is no user 'nobody'"),
      (["delete", "nobody", "--yes"], "", "There is no user 'nobody'"),
      (["delete", "ada"], "", "say so with --yes"),
      (
        ["add", "--csv", "/nowhere/roster.csv"], "",
        "can't read /nowhere/roster.csv (No such file or directory)"
      ),
    ])
  func refusals(arguments: [String], input: String, reason: String) throws {
    let folder = try DataFolderUnderTest()
    for name in ["ada", "bob"] {
      #expect(
        try folder.run("users", "add", name, "--app", "invasive", "--create", input: "pw\n").status == 0)
    }
    let (status, output, errors) = try folder.run(
      ["users"] + arguments + ["--app", "invasive"], input: input)
    #expect(status == 1)
    #expect(output.isEmpty)
    #expect(errors.contains(reason), "\(errors)")
    #expect(try folder.integer("SELECT count(*) FROM user") == 2)
    #expect(try folder.integer("SELECT count(*) FROM user WHERE username IN ('ada', 'bob')") == 2)
  }

  @Test("a user is deleted with its observations, and nobody else's; its sign-up isn't repeated by its key")
  func deletionInvasive() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    let client = try RawClient(port: server.port)
    let signUp = request(
      "POST", "/invasive/users", #"{"username":"ada","password":"pw"}"#, key: "sign-up")
    #expect(client.answer(to: signUp)?.status == 200)
    #expect(try server.signUp("bob").status == 200)
    for user in [1, 1, 2] {
      let sighting = #"{"user":\#(user),"species":1,"park":1,"comment":"","date":""}"#
      #expect(try server.answer("POST", "/invasive/observations", sighting).status == 200)
    }
    let (refused, _, warning) = try folder.run("users", "delete", "ada", "--app", "invasive")
    #expect(refused == 1)
    #expect(warning.contains("this would delete ada of the invasive app with 2 observations"))
    #expect(try server.answer("GET", "/invasive/observations?user=1").text.contains("idobservation"))
    let (status, output, _) = try folder.run("users", "delete", "ada", "--app", "invasive", "--yes")
    #expect(status == 0)
    #expect(output == "deleted ada of the invasive app with 2 observations\n")
    #expect(try server.answer("GET", "/invasive/observations?user=1").text == "[]")
    #expect(try server.answer("GET", "/invasive/observations?user=2").text.contains("idobservation"))
    #expect(client.answer(to: signUp)?.status == 404)
    server.end()
    #expect(try folder.integer("SELECT count(*) FROM pragma_foreign_key_check") == 0)
  }

  @Test("a list that was kept ready is not shown any more once its user, or its key, is gone")
  func keptLists() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    let key = try server.signUp("ada", app: "directory").text
    for _ in 0..<2 {
      #expect(try server.answer("POST", "/directory/people/\(key)", #"{"name":"Grace"}"#).status == 200)
    }
    func list(_ key: String) throws -> Int { try server.answer("GET", "/directory/people/\(key)").status }
    #expect(try list(key) == 200)
    #expect(try list(key) == 200)
    let (status, _, _) = try folder.run(
      "users", "reset-password", "ada", "--app", "directory", "--new-key", input: "other")
    #expect(status == 0)
    #expect(try list(key) == 404)
    let newKey = try server.logIn("ada", password: "other", app: "directory").text
    #expect(newKey != key)
    #expect(try list(newKey) == 200)
    let (deleted, output, _) = try folder.run("users", "delete", "ada", "--app", "directory", "--yes")
    #expect(deleted == 0)
    #expect(output == "deleted ada of the directory app with 2 people\n")
    #expect(try list(newKey) == 404)
    server.end()
    #expect(try folder.integer("SELECT count(*) FROM person") == 0)
  }

  @Test("a name of an app that speaks to the terminal is shown escaped, and can be given up for another")
  func controlCharacters() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    #expect(try server.signUp(#"\u001b[2Jeve\u202Etxt"#).status == 200)
    let (_, output, _) = try folder.run("users", "list", "--app", "invasive")
    #expect(output.contains(#"\u{1B}[2Jeve\u{202E}txt"#))
    #expect(!output.unicodeScalars.contains { ["\u{1B}", "\u{202E}"].contains($0) })
    // The joiners of Persian and of emoji are part of names.
    let name = "\u{0646}\u{200C}\u{0627} 👩\u{200D}🔬"
    let (status, renamed, _) = try folder.run(
      "users", "rename", "\u{1B}[2Jeve\u{202E}txt", name, "--app", "invasive")
    #expect(status == 0)
    #expect(renamed == "\\u{1B}[2Jeve\\u{202E}txt is \(name) now\n")
    server.end()
  }

  #if os(Linux)
    @Test(
      "who forgets to be the folder's owner is told to, and not to take the folder from its server",
      .enabled(if: OtherUser.isAvailable),
      arguments: [true, false])
    func otherUser(isServed: Bool) throws {
      let place = try Place(isServed: true)
      if !isServed { place.server?.end() }
      let nobody = OtherUser.launcher(OtherUser.nobody)
      let (status, output, errors) = try place.folder.run(
        "users", "list", "--app", "invasive", launcher: nobody)
      #expect(status == 1)
      #expect(output.isEmpty)
      #expect(
        errors
          == "understudy: can't use \(place.folder.path): it belongs to root, and this is nobody: run this command as that user (sudo -u root understudy …)\n"
      )
      if isServed { place.server?.end() }
    }
  #endif

  @Test("a list of any length comes in pieces, each user once")
  func manyUsers() throws {
    let folder = try DataFolderUnderTest()
    try folder.serve().end()
    try Connection(path: folder.url.appending(path: "understudy.sqlite").path, access: .readWrite).execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
      INSERT INTO directory_user SELECT i * 2, 'd' || i, 'd' || i, '', i FROM n;
      """)
    let server = try folder.serve()
    let (status, output, _) = try folder.run("users", "list", "--app", "directory")
    #expect(status == 0)
    let lines = output.split(separator: "\n")
    #expect(lines.first?.hasPrefix("id    name") == true)
    #expect(lines.dropFirst().map { Int($0.prefix { $0 != " " }) } == (1...2500).map { $0 * 2 })
    server.end()
    #expect(server.log.split(separator: "\n").count { $0.contains(#""route":"/users/:app""#) } == 3)
  }
}
