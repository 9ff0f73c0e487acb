import Foundation
import TestSupport
import Testing

/// The beginning of a PNG, and something to tell it by.
func png(_ text: String) -> [UInt8] { [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Array(text.utf8) }

extension DataFolderUnderTest {
  var images: URL { url.appending(path: "images") }

  /// The files in the folder for pictures, those that no client sees too.
  var pictureNames: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: images.path)) ?? []).sorted()
  }

  func picture(_ name: String) -> [UInt8]? {
    (try? Data(contentsOf: images.appending(path: name))).map { Array($0) }
  }

  /// What of the data a mirror changes.
  func state() throws -> [String] {
    let tables = try ["species", "parks"].map { try run("export", $0).output }
    return tables + pictureNames.filter { $0 != ".mirror" }
  }
}

@Suite("understudy mirror")
struct MirrorTests {
  /// A server with a catalogue of its own.
  private func original() throws -> (DataFolderUnderTest, ServerProcess) {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    let species = """
      id,name,image,family
      1,Garlic Mustard,garlic-mustard.png,Secret Family
      5,Kudzu,kudzu.jpg,
      900,Elsewhere,https://example.org/picture.png,
      901,Unseen,,

      """
    #expect(try folder.run("import", "species", "-", input: species).status == 0)
    #expect(
      try folder.run("import", "parks", "-", input: "id,name,county\n7,\"A \"\"Park\"\"\",\n").status == 0)
    try Data(png("photograph")).write(to: folder.images.appending(path: "garlic-mustard.png"))
    try Data([0xFF, 0xD8, 0xFF] + Array("kudzu".utf8)).write(to: folder.images.appending(path: "kudzu.jpg"))
    return (folder, server)
  }

  private func list(_ name: String, of server: ServerProcess) throws -> String {
    try server.answer("GET", "/invasive/\(name)").text.replacing(":\(server.port)", with: ":0")
      .replacing("http://a/", with: "http://x/")
  }

  @Test("makes the catalogue of a running server that of another, pictures and ids included, at once")
  func running() throws {
    let (other, source) = try original()
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    let before = try server.answer("GET", "/invasive/species")
    let plate = try server.answer("GET", "/invasive/images/garlic-mustard.png")
    #expect(try server.answer("GET", "/invasive/images/kudzu.jpg").status == 404)
    let url = "http://127.0.0.1:\(source.port)"
    let (status, output, errors) = try folder.run("mirror", "--create", url)
    #expect(status == 0, "\(errors)")
    #expect(errors.isEmpty)
    #expect(
      output == """
        species: 2 new, 1 changed, 46 taken out, 1 as before
        parks: 1 changed, 49 taken out
        pictures: 2 fetched, 0 as before

        """)
    let after = try server.answer("GET", "/invasive/species")
    #expect(after["ETag"] != before["ETag"])
    for name in ["species", "parks", "species/5", "parks/7", "species/900"] {
      #expect(try list(name, of: server) == list(name, of: source))
    }
    for picture in ["garlic-mustard.png", "kudzu.jpg"] {
      let answers = try [source, server].map { try $0.answer("GET", "/invasive/images/\(picture)") }
      #expect(answers.map(\.status) == [200, 200])
      #expect(answers[0].body == answers[1].body)
      #expect(answers[1]["ETag"] != plate["ETag"])
    }
    #expect(try server.answer("GET", "/invasive/species/2").status == 404)
    // What isn't in the lists stays with a plant that is the same.
    #expect(
      try folder.run("export", "species").output.contains(
        "1,Garlic Mustard,garlic-mustard.png,Alliaria petiolata"))
    // Again: nothing is fetched.
    let again = try folder.run("mirror", "--create", url + "/")
    #expect(again.output == "species: 4 as before\nparks: 1 as before\npictures: 0 fetched, 2 as before\n")
    server.end()
    // And without a server.
    #expect(try folder.run("mirror", "--create", url).output == again.output)
    withExtendedLifetime(other) { source.end() }
  }

  @Test("a data folder that isn't there is made, where that is meant")
  func fresh() throws {
    let (other, source) = try original()
    let folder = try DataFolderUnderTest()
    #expect(try folder.run("mirror", "--create", "http://127.0.0.1:\(source.port)").status == 0)
    #expect(folder.pictureNames == [".mirror", "garlic-mustard.png", "kudzu.jpg"])
    let server = try folder.serve()
    #expect(try list("species", of: server) == list("species", of: source))
    server.end()
    withExtendedLifetime(other) { source.end() }
  }

  @Test("a picture that has changed is fetched, here or there, and no other")
  func changed() throws {
    let (other, source) = try original()
    let folder = try DataFolderUnderTest()
    let url = "http://127.0.0.1:\(source.port)"
    #expect(try folder.run("mirror", "--create", url).status == 0)
    try Data(png("new")).write(to: other.images.appending(path: "garlic-mustard.png"))
    #expect(try folder.run("mirror", "--create", url).output.hasSuffix("pictures: 1 fetched, 1 as before\n"))
    #expect(folder.picture("garlic-mustard.png") == png("new"))
    // As long as the original, so that only its bytes tell.
    try Data([0xFF, 0xD8, 0xFF] + Array("KUDZU".utf8)).write(to: folder.images.appending(path: "kudzu.jpg"))
    #expect(try folder.run("mirror", "--create", url).output.hasSuffix("pictures: 1 fetched, 1 as before\n"))
    #expect(folder.picture("kudzu.jpg") == other.picture("kudzu.jpg"))
    try FileManager.default.removeItem(at: folder.images.appending(path: "kudzu.jpg"))
    #expect(try folder.run("mirror", "--create", url).output.hasSuffix("pictures: 1 fetched, 1 as before\n"))
    #expect(folder.picture("kudzu.jpg") == other.picture("kudzu.jpg"))
    withExtendedLifetime(other) { source.end() }
  }

  @Test("what observed ids mean isn't changed: it says which, and fetches and changes nothing")
  func meaning() throws {
    let (other, source) = try original()
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    _ = try server.signUp("ada")
    for (species, park) in [(5, 7), (6, 8)] {
      let body = #"{"user":1,"species":\#(species),"park":\#(park),"comment":"","date":""}"#
      #expect(try server.answer("POST", "/invasive/observations", body).status == 200)
    }
    let before = try folder.state()
    let (status, output, errors) = try folder.run("mirror", "--create", "http://127.0.0.1:\(source.port)")
    #expect(status == 1)
    #expect(output.isEmpty)
    let lines = errors.split(separator: "\n")
    #expect(lines.count == 4)
    for (line, text) in zip(
      lines, ["would become 'Kudzu'", "is left out", "would become 'A \"Park\"'", "is left out"])
    {
      #expect(line.contains(text) && line.hasSuffix("1 observation refers to it"), "\(line)")
    }
    #expect(try folder.state() == before)
    #expect(!source.log.contains("/invasive/images/"))
    server.end()
    withExtendedLifetime(other) { source.end() }
  }

  @Test("over TLS, of an authority that it is told of and of no other")
  func encrypted() throws {
    let folder = try DataFolderUnderTest()
    let other = try DataFolderUnderTest()
    let source = try other.serve(["--https", "0"])
    let url = "https://localhost:\(source.httpsPort)"
    let (status, _, errors) = try folder.run("mirror", "--create", url)
    #expect(status == 1)
    #expect(errors.contains("certificate"), "\(errors)")
    let authority = other.url.appending(path: "tls/ca.pem").path
    #expect(
      try folder.run("mirror", "--create", url, "--ca", authority).output.hasSuffix(
        "pictures: 48 fetched, 0 as before\n")
    )
    withExtendedLifetime(other) { source.end() }
  }

  @Test(
    "shows on a terminal how far it is",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")))
  func terminal() throws {
    let (other, source) = try original()
    let folder = try DataFolderUnderTest()
    let script = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
    let (status, output, _) = try folder.run(
      ["mirror", "--create", "http://127.0.0.1:\(source.port)"], launcher: ["/usr/bin/python3", "-c", script])
    #expect(status == 0)
    #expect(output.contains("pictures: 1 of 2"))
    // The last thing that is left of it is an empty line.
    #expect(output.contains("\r\u{1B}[Kspecies: 2 new"))
    withExtendedLifetime(other) { source.end() }
  }

  @Test(
    "an address that makes no sense is refused",
    arguments: ["cmsc106.net", "ftp://a", "http://a/b", "http://", "http://a b"])
  func address(text: String) throws {
    let folder = try DataFolderUnderTest()
    let (status, _, errors) = try folder.run("mirror", "--create", text)
    #expect(status == 2)
    #expect(errors.contains("URL is '\(text)': expected http:// or https://"))
  }
}
