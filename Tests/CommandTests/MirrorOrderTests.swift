import Foundation
import TestSupport
import Testing
import Threads

@Suite("what a mirror changes, and when")
struct MirrorOrderTests {
  /// A server of two states: in the second the species' number and its picture's URL are another plant's, its former
  /// picture is gone, and there is one more.
  private func server(isNew: Condition<Bool>) throws -> ScriptedServer {
    try ScriptedServer { request in
      let isNew = isNew.withLock { $0 }
      switch request.target {
      case "/invasive/species":
        return .json(
          isNew
            ? #"[{"idspecies":1,"name":"New","image":"/pictures/a.png"},{"idspecies":2,"name":"More","image":"/pictures/c.png"}]"#
            : #"[{"idspecies":1,"name":"Old","image":"/pictures/a.png"},{"idspecies":3,"name":"Gone","image":"/pictures/g.png"}]"#
        )
      case "/invasive/parks": return .json(#"[{"idpark":1,"name":"P","county":"C"}]"#)
      default:
        let name: String
        switch request.target {
        case "/pictures/a.png": name = isNew ? "New" : "Old"
        case "/pictures/c.png": name = "More"
        default: name = "Gone"
        }
        return .answer(
          type: "image/png", png(name), fields: ["ETag: \"\(name)\""])
      }
    }
  }

  /// The names of the species; each has a picture of that name.
  private func species(of folder: DataFolderUnderTest) throws -> [String] {
    let lines = try folder.run("export", "species").output.split(whereSeparator: \.isNewline).dropFirst()
    return lines.map { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      #expect(folder.picture(fields[2]) == png(fields[1]), "\(line)")
      return fields[1]
    }
  }

  @Test("a catalogue that is refused in the end has no picture changed")
  func refused() throws {
    let isNew = Condition(false)
    let source = try server(isNew: isNew)
    let folder = try DataFolderUnderTest()
    #expect(try folder.run("mirror", source.url, "--create").status == 0)
    #expect(try species(of: folder) == ["Old", "Gone"])
    let running = try folder.serve()
    _ = try running.signUp("ada")
    let port = running.port
    // While the pictures come somebody observes what is to become another plant.
    let relay = try ScriptedServer { asked in
      if asked.target == "/pictures/c.png" {
        let body = #"{"user":1,"species":1,"park":1,"comment":"","date":""}"#
        let answer = try? RawClient(port: port).answer(
          to: request("POST", "/invasive/observations", body))
        #expect(answer?.status == 200)
      }
      switch asked.target {
      case "/invasive/species":
        return .json(
          #"[{"idspecies":1,"name":"New","image":"/pictures/a.png"},{"idspecies":2,"name":"More","image":"/pictures/c.png"}]"#
        )
      case "/invasive/parks": return .json(#"[{"idpark":1,"name":"P","county":"C"}]"#)
      default: return .answer(type: "image/png", png(asked.target == "/pictures/c.png" ? "More" : "New"))
      }
    }
    let (status, _, errors) = try folder.run("mirror", relay.url)
    #expect(status == 1)
    #expect(errors.contains("would become 'New'"), "\(errors)")
    #expect(try species(of: folder) == ["Old", "Gone"])
    #expect(folder.pictureNames == [".mirror", "a.png", "g.png"])
    running.end()
  }

  @Test("a picture that the server hasn't at the moment stays, and isn't fetched again when it has it")
  func missing() throws {
    let isMissing = Condition(false)
    let source = try ScriptedServer { request in
      switch request.target {
      case "/invasive/species": return .json(#"[{"idspecies":1,"name":"S","image":"/pictures/s.png"}]"#)
      case "/invasive/parks": return .json(#"[{"idpark":1,"name":"P","county":"C"}]"#)
      default:
        if isMissing.withLock({ $0 }) { return .answer("404 Not Found") }
        return request.header.contains("If-None-Match: \"s\"")
          ? .answer("304 Not Modified", type: nil, fields: ["ETag: \"s\""])
          : .answer(type: "image/png", png("s"), fields: ["ETag: \"s\""])
      }
    }
    let folder = try DataFolderUnderTest()
    #expect(try folder.run("mirror", source.url, "--create").status == 0)
    isMissing.withLock { $0 = true }
    #expect(try folder.run("mirror", source.url).errors.contains("species 1 has no picture"))
    #expect(folder.picture("s.png") == png("s"))
    isMissing.withLock { $0 = false }
    #expect(try folder.run("mirror", source.url).output.hasSuffix("pictures: 0 fetched, 1 as before\n"))
  }

  @Test(
    "a server that doesn't answer HEAD, and gives its pictures no version, is asked with GET",
    arguments: ["501 Not Implemented", "405 Method Not Allowed", "404 Not Found", "400 Bad Request"])
  func head(status: String) throws {
    let source = try ScriptedServer { request in
      switch request.target {
      case "/invasive/species": return .json(#"[{"idspecies":1,"name":"S","image":"/pictures/s.png"}]"#)
      case "/invasive/parks": return .json(#"[{"idpark":1,"name":"P","county":"C"}]"#)
      default:
        guard request.method == "HEAD" else { return .answer(type: "image/png", png("s")) }
        return .raw("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n", .keepAlive)
      }
    }
    let folder = try DataFolderUnderTest()
    #expect(
      try folder.run("mirror", source.url, "--create").output.hasSuffix("pictures: 1 fetched, 0 as before\n"))
    let again = try folder.run("mirror", source.url)
    #expect((again.status, again.errors) == (0, ""))
    #expect(again.output.hasSuffix("pictures: 0 fetched, 1 as before\n"))
    #expect(source.requests.suffix(2).map(\.method) == ["HEAD", "GET"])
  }

  #if os(Linux)
    @Test(
      "killed at any moment, it leaves each species with its own picture, and the next one tidies up",
      .enabled(if: KillPoints.isAvailable))
    func killed() throws {
      let isNew = Condition(false)
      let source = try server(isNew: isNew)
      let folder = try DataFolderUnderTest()
      #expect(try folder.run("mirror", source.url, "--create").status == 0)
      // A picture of somebody's own stays whatever happens.
      try Data(png("own")).write(to: folder.images.appending(path: "own.png"))
      let kept = folder.beside("kept")
      try FileManager.default.copyItem(at: folder.url, to: kept)
      isNew.withLock { $0 = true }
      let points = try KillPoints(in: folder.url.deletingLastPathComponent())
      var seen: Set<[String]> = []
      let kills = try points.each(of: ["mirror", source.url, "--data", folder.path]) {
        try? FileManager.default.removeItem(at: folder.url)
        try FileManager.default.copyItem(at: kept, to: folder.url)
      } check: { point in
        seen.insert(try species(of: folder))
        let again = try folder.run("mirror", source.url)
        #expect(again.status == 0, "\(point): \(again.errors)")
        #expect(try species(of: folder) == ["New", "More"], "\(point)")
        #expect(folder.pictureNames == [".mirror", "a.png", "c.png", "own.png"], "\(point)")
      }
      #expect(kills > 20)
      #expect(seen == [["Old", "Gone"], ["New", "More"]])
      #expect(folder.pictureNames == [".mirror", "a.png", "c.png", "own.png"])
    }
  #endif
}
