import Foundation
import SQLite
import TestSupport
import Testing

/// The system's Python, whose csv module reads what is exported.
private func python(_ script: String, _ arguments: [String]) throws -> String {
  let process = Process()
  let output = Pipe()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
  process.arguments = ["-c", script] + arguments
  process.standardOutput = output
  try process.run()
  let written = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  try #require(process.terminationStatus == 0)
  return String(decoding: written, as: UTF8.self)
}

@Suite("understudy export")
struct ExportTests {
  /// Texts as apps may send them.
  private static let texts = [
    "=HYPERLINK(\"http://example.org\")", "+1 555", "-5", "@SUM(A1)", "\t=1", "two\nlines", "two\r\nlines",
    "cr\r",
    "a,b;c", "say \"hi\"", " space ", "'quoted'", "'=1", "é e\u{301} 😀 \u{2028} \u{202E}x", "", "nul\0here",
  ]

  private static func quoted(_ text: String) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: [text]).dropFirst().dropLast(), as: UTF8.self)
  }

  /// A folder with an observation, and a person, of each of the texts.
  private func fill(_ folder: DataFolderUnderTest) throws -> String {
    let server = try folder.serve()
    #expect(try server.signUp("ada", password: "very secret").status == 200)
    let key = try server.answer("POST", "/directory/users", #"{"name":"bob","password":"very secret"}"#).text
    for text in Self.texts {
      let quoted = try Self.quoted(text)
      let sighting = #"{"user":1,"species":1,"park":1,"comment":\#(quoted),"date":\#(quoted)}"#
      #expect(try server.answer("POST", "/invasive/observations", sighting).status == 200)
      let person = #"{"name":\#(quoted),"office":\#(quoted),"note":\#(quoted),"nested":{"a":[1.10]}}"#
      #expect(try server.answer("POST", "/directory/people/\(key)", person).status == 200)
    }
    server.end()
    return key
  }

  private func export(_ folder: DataFolderUnderTest, _ arguments: String...) throws -> String {
    let (status, output, errors) = try folder.run(["export"] + arguments)
    #expect(status == 0, "\(errors)")
    #expect(errors.isEmpty)
    return output
  }

  @Test(
    "as CSV is what Python's reader gets, each field one that no spreadsheet runs",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")),
    arguments: [("observations", ["comment", "date"]), ("people", ["name", "office"])])
  func csv(table: String, columns: [String]) throws {
    let folder = try DataFolderUnderTest()
    _ = try fill(folder)
    let file = folder.beside("export.csv")
    try Data(try export(folder, table, "--bom").utf8).write(to: file)
    let script = """
      import csv, json, sys
      raw = open(sys.argv[1], 'rb').read()
      assert raw.startswith(b'\\xef\\xbb\\xbf'), raw[:10]
      assert raw.endswith(b'\\r\\n')
      with open(sys.argv[1], encoding='utf-8-sig', newline='') as file:
          print(json.dumps(list(csv.DictReader(file, strict=True))))
      """
    let read = try JSONSerialization.jsonObject(with: Data(try python(script, [file.path]).utf8))
    let rows = try #require(read as? [[String: String]])
    #expect(rows.count == Self.texts.count)
    for (row, text) in zip(rows, Self.texts) {
      for column in columns {
        let field = try #require(row[column])
        let first = field.unicodeScalars.first
        #expect(!"=+-@\t\r".unicodeScalars.contains(first ?? "x"), "\(field)")
        let isDefused = field.hasPrefix("'") && field != text
        let expected = text.replacing("\0", with: "\u{FFFD}")
        #expect(Array((isDefused ? String(field.dropFirst()) : field).utf8) == Array(expected.utf8))
      }
      #expect(row["user"] == "1")
      if table == "observations" {
        #expect(row["species_name"] == "Garlic Mustard")
        #expect(row["park_name"] == "Amnicon Falls State Park")
        #expect(row["username"] == "ada")
      } else {
        #expect(row["members"]?.contains("1.10") == true)
      }
    }
  }

  @Test("as JSON keeps every text as it was posted")
  func json() throws {
    let folder = try DataFolderUnderTest()
    _ = try fill(folder)
    func rows(_ table: String) throws -> [[String: Any]] {
      let text = try export(folder, table, "--format", "json")
      return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    }
    let observations = try rows("observations")
    #expect(
      observations.map { Array(($0["comment"] as? String ?? "?").utf8) } == Self.texts.map { Array($0.utf8) })
    let people = try rows("people")
    #expect(people.map { Array(($0["office"] as? String ?? "?").utf8) } == Self.texts.map { Array($0.utf8) })
    #expect((people[0]["members"] as? [String: Any])?["note"] as? String == Self.texts[0])
    #expect(try rows("species").count == 48)
    #expect(try rows("parks").first?["county"] as? String == "Douglas")
    #expect(try rows("users").map { $0["app"] as? String } == ["invasive", "directory"])
    #expect(try rows("users").map { $0["name"] as? String } == ["ada", "bob"])
  }

  @Test(
    "never holds a password, its hash or a key",
    arguments: ["species", "parks", "users", "observations", "people"])
  func secrets(table: String) throws {
    let folder = try DataFolderUnderTest()
    let key = try fill(folder)
    let server = try folder.serve()
    for format in ["csv", "json"] {
      let text = try export(folder, table, "--format", format)
      #expect(!text.contains(key))
      #expect(!text.contains("argon2"))
      #expect(!text.contains("very secret"))
    }
    server.end()
    #expect(!server.log.contains(key))
  }

  @Test("of nothing is a table without rows", arguments: ["users", "observations", "people"])
  func empty(table: String) throws {
    let folder = try DataFolderUnderTest()
    folder.serveOnce()
    #expect(try export(folder, table, "--format", "json") == "[\n]\n")
    #expect(try export(folder, table).split(separator: "\r\n").count == 1)
  }

  @Test("of many pieces is whole, in the order of ids, of both apps' users too")
  func pieces() throws {
    let folder = try DataFolderUnderTest()
    folder.serveOnce()
    let connection = try Connection(
      path: folder.url.appending(path: "understudy.sqlite").path, access: .readWrite)
    try connection.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
      INSERT INTO user SELECT i, 'u' || i, 'u' || i, '', '', '' FROM n;
      INSERT INTO directory_user SELECT id * 2, 'd' || id, 'd' || id, '', id FROM user WHERE id <= 12000;
      INSERT INTO observation SELECT id * 3, id, 1, 1, hex(zeroblob(60)), '' FROM user;
      """)
    let server = try folder.serve()
    let lines = try export(folder, "observations").split(separator: "\r\n").dropFirst()
    #expect(lines.map { Int($0.prefix { $0 != "," }) } == (1...25_000).map { $0 * 3 })
    let users = try export(folder, "users").split(separator: "\r\n").dropFirst()
    #expect(users.count == 37_000)
    #expect(Set(users).count == 37_000)
    #expect(users[users.startIndex + 25_000].hasPrefix("directory,2,d1,"))
    let text = try export(folder, "users", "--format", "json")
    let rows = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
    #expect(rows?.count == 37_000)
    server.end()
  }

  @Test("ends where nobody reads any more, and says so")
  func brokenPipe() throws {
    let folder = try DataFolderUnderTest()
    let server = try folder.serve()
    let (status, output, errors) = try folder.run(
      ["export", "species"], launcher: ["/bin/sh", "-c", "\"$0\" \"$@\" | true; echo ended"])
    #expect(status == 0)
    #expect(output == "ended\n")
    #expect(errors.isEmpty || errors.contains("what was written is not whole"))
    let full = try folder.run(
      ["export", "species"], launcher: ["/bin/sh", "-c", "\"$0\" \"$@\" > /dev/full"])
    #expect(full.status == 1)
    #expect(full.errors.contains("can't write all of it (No space left on device)"))
    server.end()
  }

  @Test("refuses what makes no sense")
  func usage() throws {
    let folder = try DataFolderUnderTest()
    for (arguments, reason) in [
      (
        ["export"],
        "say which: export species, export parks, export users, export observations, export people"
      ),
      (["export", "keys"], "there is no command 'export keys'"),
      (["export", "users", "--format", "xml"], "--format is 'xml': expected csv or json"),
      (["export", "users", "--format", "json", "--bom"], "--bom belongs to --format csv"),
    ] {
      let (status, output, errors) = try folder.run(arguments)
      #expect(status == 2)
      #expect(output.isEmpty)
      #expect(errors.contains(reason), "\(errors)")
    }
  }
}

extension DataFolderUnderTest {
  /// Has a server make what it begins with.
  fileprivate func serveOnce() {
    #expect(throws: Never.self) { try serve().end() }
  }
}
