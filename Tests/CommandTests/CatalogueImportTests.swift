import Foundation
import TestSupport
import Testing

@Suite("understudy import")
struct CatalogueImportTests {
  private func write(_ text: String, for folder: DataFolderUnderTest, as name: String = "file.csv") throws
    -> String
  {
    let file = folder.beside(name)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  private func export(_ table: String, _ folder: DataFolderUnderTest) throws -> String {
    let (status, output, errors) = try folder.run("export", table)
    #expect(status == 0, "\(errors)")
    return output
  }

  private func get(_ target: String, of server: ServerProcess, etag: String? = nil) throws -> RawResponse {
    let client = try RawClient(port: server.port)
    let condition = etag.map { "If-None-Match: \($0)\r\n" } ?? ""
    try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\(condition)\r\n")
    return try client.response()
  }

  /// A server with a user, and observations of a species in a park.
  private func observe(_ count: Int, species: Int, park: Int, on server: ServerProcess) throws {
    _ = try server.signUp("ada")
    for _ in 0..<count {
      let body = #"{"user":1,"species":\#(species),"park":\#(park),"comment":"","date":""}"#
      #expect(try server.answer("POST", "/invasive/observations", body).status == 200)
    }
  }

  @Test("what a running server serves is the new catalogue at once, every answer of it")
  func atOnce() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    let targets = ["/invasive/species", "/invasive/parks", "/invasive/species/1", "/invasive/parks/1"]
    let before = try targets.map { try get($0, of: server) }
    let old = (species: try export("species", folder), parks: try export("parks", folder))
    for round in 1...3 {
      let parks = try write("id,name,county\r\n1,Park \(round),Dane\r\n77,New,Dane\r\n", for: folder)
      #expect(
        try folder.run("import", "parks", parks).output
          == (round == 1 ? "parks: 1 new, 1 changed, 49 taken out\n" : "parks: 1 changed, 1 as before\n"))
      let species = try write(
        "name,image,id\nKudzu \(round),https://example.org/\(round).png,1\n", for: folder)
      #expect(try folder.run("import", "species", species).status == 0)
      for (target, answer) in zip(targets, before) {
        #expect(try get(target, of: server, etag: answer["ETag"]).status == 200, "\(target)")
      }
      #expect(
        try get("/invasive/parks", of: server).text
          == #"[{"idpark":1,"name":"Park \#(round)","county":"Dane"},{"idpark":77,"name":"New","county":"Dane"}]"#
      )
      #expect(
        try get("/invasive/species", of: server).text
          == #"[{"idspecies":1,"name":"Kudzu \#(round)","image":"https://example.org/\#(round).png"}]"#)
      #expect(try get("/invasive/species/1", of: server).text.contains("Kudzu \(round)"))
      #expect(try get("/invasive/species/2", of: server).status == 404)
      #expect(try get("/invasive/parks/77", of: server).status == 200)
    }
    // And back, to the byte: the same answers with the same validators.
    #expect(try folder.run("import", "species", "-", input: old.species).status == 0)
    #expect(try folder.run("import", "parks", "-", input: old.parks).status == 0)
    for (target, answer) in zip(targets, before) {
      #expect(try get(target, of: server, etag: answer["ETag"]).status == 304, "\(target)")
      #expect(try get(target, of: server).text == answer.text)
    }
    #expect(try export("species", folder) == old.species)
    server.end()
  }

  @Test("without a server it is done all the same, and is there for the next one")
  func alone() throws {
    let folder = try DataFolderUnderTest()
    let (status, output, errors) = try folder.run(
      "import", "parks", "-", "--create", input: "id,name,county\n9,Mine,\n")
    #expect(status == 0)
    #expect(output == "parks: 1 changed, 49 taken out\n")
    #expect(errors.isEmpty)
    #expect(try export("parks", folder) == "id,name,county\r\n9,Mine,\r\n")
    let server = try folder.serve()
    #expect(try get("/invasive/parks", of: server).text == #"[{"idpark":9,"name":"Mine","county":""}]"#)
    server.end()
  }

  @Test("of a file with mistakes all of them are told with their lines, and nothing is imported")
  func mistakes() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    let before = try get("/invasive/parks", of: server).text
    let file = try write("id,name,county\n1,Good,x\nx,Bad,y\n2,\u{1B}[2J,z\n3,,\n4,a\n", for: folder)
    let (status, output, errors) = try folder.run("import", "parks", file)
    #expect(status == 1)
    #expect(output.isEmpty)
    #expect(
      errors == """
        understudy: line 3: the id is 'x': expected a whole number, 1 or more
        understudy: line 4: the name holds a control character
        understudy: line 5: the name is empty
        understudy: line 6: 2 fields where 3 are expected

        """)
    #expect(try get("/invasive/parks", of: server).text == before)
    server.end()
  }

  @Test("a trial says what would be changed, and changes nothing")
  func trial() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    let before = try get("/invasive/parks", of: server).text
    let file = try write("id,name,county\n1,Good,x\n", for: folder)
    #expect(
      try folder.run("import", "parks", file, "--dry-run").output
        == "parks: 1 changed, 49 taken out\nnothing was changed (--dry-run)\n")
    #expect(try get("/invasive/parks", of: server).text == before)
    try observe(2, species: 1, park: 2, on: server)
    let (status, output, errors) = try folder.run("import", "parks", file, "--dry-run")
    #expect(status == 1)
    #expect(output.isEmpty)
    #expect(
      errors
        == "understudy: park 2 ('Aztalan State Park') is left out, and 2 observations refer to it\n")
    server.end()
  }

  @Test("what an id means stays while observations refer to it, unless the owner says otherwise")
  func meaning() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    try observe(3, species: 4, park: 2, on: server)
    let renamed = try export("species", folder).replacing("\r\n4,", with: "\r\n4,New ")
    let file = try write(renamed, for: folder)
    let (status, _, errors) = try folder.run("import", "species", file)
    #expect(status == 1)
    #expect(errors.hasPrefix("understudy: species 4 ("))
    #expect(errors.hasSuffix(", and 3 observations refer to it\n"))
    #expect(try get("/invasive/species/4", of: server).text.contains("New ") == false)
    let allowed = try folder.run("import", "species", file, "--allow-renaming")
    #expect(allowed.status == 0)
    #expect(allowed.output.contains("is now 'New "))
    #expect(allowed.output.contains("3 observations refer to it"))
    #expect(try get("/invasive/species/4", of: server).text.contains("New "))
    #expect(try folder.integer("SELECT count(*) FROM observation WHERE species = 4") == 3)
    server.end()
  }

  @Test("apps get whole answers, of the old catalogue or of the new one, while it is replaced")
  func meanwhile() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    let files = try ["One", "Two"].map { name in
      let rows = (1...2000).map { "\($0),\(name),\(name)\n" }.joined()
      return try write("id,name,county\n" + rows, for: folder, as: "\(name).csv")
    }
    #expect(try folder.run("import", "parks", files[0]).status == 0)
    let (port, path) = (server.port, folder.path)
    let outcomes = try onThreads(Array(0..<3)) { number -> Bool in
      if number == 0 {
        return try (1...6).allSatisfy { round in
          try ServerProcess.run(["import", "parks", files[round % 2], "--data", path]).status == 0
        }
      }
      let client = try RawClient(port: port)
      return try (1...200).allSatisfy { _ in
        try client.send("GET /invasive/parks HTTP/1.1\r\nHost: a\r\n\r\n")
        let text = try client.response().text
        return text.contains("\"One\"") != text.contains("\"Two\"") && text.hasSuffix("}]")
      }
    }
    #expect(outcomes == [true, true, true])
    server.end()
  }

  @Test("what can't be a table is refused with a line")
  func refused() throws {
    let folder = try DataFolderUnderTest()
    let large = folder.beside("large.csv")
    try Data(count: (16 << 20) + 1).write(to: large)
    for (arguments, reason) in [
      (["import", "species", "/nonexistent.csv"], "can't read /nonexistent.csv (No such file or directory)"),
      (["import", "species", folder.beside("").path], "can't read"),
      (["import", "species", large.path], "has more than 16 MiB"),
    ] {
      let (status, _, errors) = try folder.run(arguments)
      #expect(status == 1)
      #expect(errors.hasPrefix("understudy: ") && errors.contains(reason), "\(errors)")
      #expect(errors.split(separator: "\n").count == 1)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path))
    #expect(try folder.run("import", "users", "x.csv").status == 2)
    #expect(try folder.run("import", "species").status == 2)
  }
}
