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
    return try folder.run("users", "add", "--app", app, "--csv", file.path)
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
    #expect(errors == "understudy: added 2 users; their passwords are shown this once\n")
    let lines = output.split(separator: "\n")
    #expect(lines.count == 3 && lines[0] == "name,password" && lines[2].hasPrefix("\"b,b\","))
    let password = try #require(lines[1].split(separator: ",").last)
    #expect(password.count == 10)
    #expect(try server.logIn("ada", password: String(password)).status == 200)
    server.end()
    #expect(!server.log.contains(password))
  }

  @Test(
    "adds nobody where a row is wrong, and says which and why",
    arguments: [
      (
        "name,password\nada,x\n,x\neve,\nold,x\nAda,x\nada,x\n",
        [
          "line 3: the name is empty", "line 4: the password is empty",
          "line 7: the name 'ada' is in line 2 already",
        ]
      ),
      (
        "name,password\nada,x\nold,x\nzoe\u{308},x\n",
        ["line 3: the name 'old' is taken", "line 4: the name 'zoë' is taken"]
      ),
      ("name,pasword\nada,x\n", ["line 1: there is no use for a column 'pasword'"]),
      ("name;password\nada;x\n", ["line 1: there is no use for a column 'name;password'"]),
      ("password\nx\n", ["line 1: there is no column 'name'"]),
      ("name,username\nada,x\n", ["line 1: there are two columns for the name"]),
      ("name,password\nada\n", ["line 2: 1 fields where 2 are expected"]),
      ("name,password\n\"ada,x\n", ["line 2: a quote is opened and never closed"]),
      ("name\n", ["It has no rows."]),
      ("", ["there is no line that names the columns"]),
    ])
  func wrongRows(roster: String, reasons: [String]) throws {
    let folder = try DataFolderUnderTest()
    #expect(try add("name,password\nold,x\nzo\u{EB},x\n", to: folder).status == 0)
    let (status, output, errors) = try add(roster, to: folder)
    #expect(status == 1)
    #expect(output.isEmpty)
    for reason in reasons {
      #expect(errors.contains("understudy: " + reason) || errors.contains(reason), "\(errors)")
    }
    #expect(errors.split(separator: "\n").allSatisfy { $0.hasPrefix("understudy: ") })
    #expect(try folder.integer("SELECT count(*) FROM user") == 2)
  }

  @Test("a table that is not UTF-8 is refused")
  func latin1() throws {
    let folder = try DataFolderUnderTest()
    let file = folder.beside("roster.csv")
    try Data([0x6E, 0x61, 0x6D, 0x65, 0x0A, 0x7A, 0x6F, 0xEB, 0x0A]).write(to: file)
    let (status, _, errors) = try folder.run("users", "add", "--app", "invasive", "--csv", file.path)
    #expect(status == 1)
    #expect(errors == "understudy: It is not UTF-8: save it as 'CSV UTF-8', as spreadsheets call it.\n")
  }

  @Test("a server that is stopped while a class is added adds nobody, and the command does it by itself")
  func stopped() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve(["--drain-timeout", "0"])
    let file = folder.beside("roster.csv")
    try Data(("name\n" + (1...100).map { "student \($0)\n" }.joined()).utf8).write(to: file)
    let path = folder.path
    let times = try onThreads([true, false]) { adds -> (seconds: Double, outcome: String) in
      let start = Date()
      if adds {
        let (_, output, errors) = try ServerProcess.run(
          ["users", "add", "--app", "invasive", "--csv", file.path, "--data", path])
        #expect(errors.hasSuffix("added 100 users; their passwords are shown this once\n"))
        return (Date().timeIntervalSince(start), output)
      }
      // The command has found the server.
      for _ in 0..<3000 where !server.log.contains("\"route\":\"/\"") { usleep(10_000) }
      usleep(200_000)
      let end = Date()
      server.signal(SIGTERM)
      let status = server.wait()
      return (Date().timeIntervalSince(end), "\(status)")
    }
    #expect(times[1].outcome == "0")
    #expect(times[0].outcome.split(separator: "\n").count == 101)
    #expect(try folder.integer("SELECT count(*) FROM user") == 100)
    // It didn't wait for the whole class.
    #expect(times[1].seconds < times[0].seconds / 3)
  }
}
