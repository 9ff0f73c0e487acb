import Foundation
import TestSupport
import Testing

@Suite("understudy users add --csv")
struct RosterTests {
  private func add(
    _ roster: String, to folder: DataFolderUnderTest, app: String = "invasive"
  ) throws -> (status: Int32, output: String, errors: String) {
    let file = folder.beside("roster.csv")
    try Data(roster.utf8).write(to: file)
    return try folder.run("users", "add", "--app", app, "--csv", file.path, "--create")
  }

  @Test("adds a class as a spreadsheet saves it, with the passwords that it says")
  func passwordsGiven() throws {
    let folder = try DataFolderUnderTest()
    let roster =
      "\u{FEFF}Username,Password,Real name,Phone\r\n ada ,secret-1,\"Lovelace, Ada\",555\r\nbob,secret-2,,\r\n"
    #expect(try add(roster, to: folder) == (0, "added 2 users\n", ""))
    #expect(try add(roster, to: folder, app: "directory") == (0, "added 2 users\n", ""))
    let server = try folder.serve()
    #expect(
      try server.logIn("ada", password: "secret-1").text
        == #"{"iduser":1,"username":"ada","password":"secret-1","realname":"Lovelace, Ada","phone":"555"}"#)
    #expect(try server.logIn("bob", password: "secret-2").status == 200)
    #expect(try server.logIn("bob", password: "secret-2", app: "directory").status == 200)
    server.end()
  }

  @Test("makes passwords up where there is no column for them, and prints them this once")
  func passwordsMadeUp() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    let (status, output, errors) = try add("name\nada\n\"b,b\"\n", to: folder)
    #expect(status == 0)
    #expect(errors == "understudy: added 2 users; passwords that were made up are shown this once\n")
    let lines = output.split(separator: "\n")
    #expect(lines.count == 3 && lines[0] == "name,password" && lines[2].hasPrefix("\"b,b\","))
    let password = try #require(lines[1].split(separator: ",").last)
    #expect(password.count == 10)
    // Nobody means spaces by it.
    let blank = try add("name,password\ncleo,  \n", to: folder).output
    #expect(blank.hasPrefix("name,password\ncleo,") && !blank.contains(" "), "\(blank)")
    #expect(try server.logIn("ada", password: String(password)).status == 200)
    server.end()
    #expect(!server.log.contains(password))
  }

  @Test(
    "adds nobody where a row is wrong, and says which and why",
    arguments: [
      (
        "name,password\nada,x\n,x\neve\nold,x\nAda,x\nada,x\nzoe\u{308},x\n \u{2060},x\na\u{202E}b,x\n",
        [
          "line 3: the name is empty", "line 4: 1 fields where 2 are expected",
          "line 5: the name 'old' is taken",
          "line 7: the name 'ada' is in line 2 already", "line 8: the name 'zoë' is taken",
          "line 9: the name can't be taken: it is blank",
          "line 10: the name can't be taken: it has a character in it that nobody sees (U+202E)",
        ]
      ),
      (
        "name,password\nada,x\nold,x\nzoe\u{308},x\n",
        ["line 3: the name 'old' is taken", "line 4: the name 'zoë' is taken"]
      ),
      ("name,pasword\nada,x\n", ["line 1: if the column 'pasword' is the password, call it 'password'"]),
      (
        "name|password\nada|x\n",
        ["line 1: there is no column 'name' in 'name|password': the first line has to"]
      ),
      ("password\nx\n", ["line 1: there is no column 'name'"]),
      ("name,username\nada,x\n", ["line 1: there are two columns for the name"]),
      (
        "name,app\nada,invasive\nbob,cooking\n",
        ["line 3: the app is 'cooking': invasive or directory is expected"]
      ),
      ("name,app\nada,directory\n", ["It has no rows of the invasive app."]),
      ("name,password\n\"ada,x\n", ["line 2: a quote is opened and never closed"]),
      ("name\n", ["It has no rows."]), ("name,password\n,\n , \n", ["It has no rows."]),
      ("", ["line 1: there is no line that names the columns"]),
    ])
  func wrongRows(roster: String, reasons: [String]) throws {
    let folder = try DataFolderUnderTest()
    #expect(try add("name,password\nold,x\nzo\u{EB},x\n", to: folder).status == 0)
    let (status, output, errors) = try add(roster, to: folder)
    #expect(status == 1)
    #expect(output.isEmpty)
    let lines = errors.split(separator: "\n")
    #expect(lines.count == reasons.count)
    for (line, reason) in zip(lines, reasons) { #expect(line.hasPrefix("understudy: " + reason), "\(line)") }
    #expect(try folder.integer("SELECT count(*) FROM user") == 2)
  }

  @Test("a table that is not UTF-8 is refused")
  func latin1() throws {
    let folder = try DataFolderUnderTest()
    let file = folder.beside("roster.csv")
    try Data([0x6E, 0x61, 0x6D, 0x65, 0x0A, 0x7A, 0x6F, 0xEB, 0x0A]).write(to: file)
    let (status, _, errors) = try folder.run(
      "users", "add", "--app", "invasive", "--csv", file.path, "--create")
    #expect(status == 1)
    #expect(errors == "understudy: line 2: not UTF-8: save the file as 'CSV UTF-8'\n")
  }

  @Test(
    "is read as spreadsheets elsewhere save it, with columns that there is no use for",
    arguments: [
      "NAME;E-Mail;Password\r\nada;a@example.org;secret-1\r\n;;\r\nbob;;\r\n",
      "name\te-mail\tpassword\nada\t\tsecret-1\nbob\t\t\n",
      "\u{FEFF}e-mail,user name,PassWord\r,ada,secret-1\r,bob,\r",
    ])
  func elsewhere(roster: String) throws {
    let folder = try DataFolderUnderTest()
    let (status, output, errors) = try add(roster, to: folder)
    #expect(status == 0)
    #expect(
      errors == """
        understudy: there is no use for the column 'e-mail'
        understudy: added 2 users; passwords that were made up are shown this once

        """)
    // An empty password is one to be made up.
    let lines = output.split(separator: "\n")
    try #require(lines.count == 2 && lines[1].hasPrefix("bob,"))
    let server = try folder.serve()
    #expect(try server.logIn("ada", password: "secret-1").status == 200)
    #expect(try server.logIn("bob", password: String(lines[1].dropFirst(4))).status == 200)
    server.end()
  }

  @Test("an export of users is a roster again, each app's users for that app")
  func roundTrip() throws {
    let folder = try DataFolderUnderTest()
    let roster = "name,realname,phone\nada,=1+1,+1 555 0100\n'=x,\"a, \"\"b\"\"\nc\",-5\n@bob,,\n"
    #expect(try add(roster, to: folder).status == 0)
    #expect(try add("name\nada\n", to: folder, app: "directory").status == 0)
    let (exported, users, _) = try folder.run("export", "users", "--bom")
    #expect(exported == 0)
    let other = try DataFolderUnderTest()
    for app in ["invasive", "directory"] { #expect(try add(users, to: other, app: app).status == 0) }
    #expect(try other.run("export", "users", "--bom").output == users)
  }

  @Test(
    "a server that is stopped while a class's passwords are hashed ends, and the command does it by itself")
  func stopped() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve(["--drain-timeout", "0"])
    let file = folder.beside("roster.csv")
    try Data(("name\n" + (1...100).map { "student \($0)\n" }.joined()).utf8).write(to: file)
    let path = folder.path
    let ends = try onThreads([true, false]) { adds -> (end: Date, outcome: String) in
      if adds {
        let (_, output, errors) = try ServerProcess.run(
          ["users", "add", "--app", "invasive", "--csv", file.path, "--data", path])
        #expect(errors.hasSuffix("added 100 users; passwords that were made up are shown this once\n"))
        return (Date(), output)
      }
      // The command has been told that all of them can be added.
      for _ in 0..<3000 where !server.log.contains("/roster") { usleep(10_000) }
      server.signal(SIGTERM)
      let status = server.wait()
      return (Date(), "\(status)")
    }
    #expect(ends[1].outcome == "0")
    #expect(ends[0].outcome.split(separator: "\n").count == 101)
    #expect(try folder.integer("SELECT count(*) FROM user") == 100)
    // It didn't wait for the whole class.
    #expect(ends[1].end < ends[0].end)
  }
}
