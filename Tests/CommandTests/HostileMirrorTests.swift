import Foundation
import TestSupport
import Testing
import Threads

@Suite("understudy mirror, of a server that isn't what it should be")
struct HostileMirrorTests {
  private typealias Reply = ScriptedServer.Reply

  private static let parks = Reply.json(#"[{"idpark":1,"name":"P","county":"C"}]"#)

  private static func species(_ images: String...) -> Reply {
    .json(
      "["
        + images.enumerated().map { #"{"idspecies":\#($0 + 1),"name":"S","image":"\#($1)"}"# }.joined(
          separator: ",")
        + "]")
  }

  /// What a server does, and what is said of it.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let complaint: String
    let reply: @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply?

    init(
      _ description: String, _ complaint: String,
      _ reply: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply?
    ) {
      (testDescription, self.complaint, self.reply) = (description, complaint, reply)
    }

    /// One list is this.
    static func list(_ description: String, _ complaint: String, _ reply: ScriptedServer.Reply) -> Case {
      Case(description, complaint) { $0.target == "/invasive/species" ? reply : nil }
    }

    /// The picture is this.
    static func picture(_ description: String, _ complaint: String, _ reply: ScriptedServer.Reply) -> Case {
      Case(description, complaint) { $0.target == "/p.png" ? reply : nil }
    }
  }

  private static let endless = "HTTP/1.1 200 OK\r\nContent-Type: "

  private static let cases: [Case] = [
    .list("no JSON", "not the list that was expected; at byte 0: expected an array", .json("<html>")),
    .list("an object", "not the list that was expected", .json(#"{"idspecies":1}"#)),
    .list("half a list", "not the list that was expected", .json(#"[{"idspecies":1,"name":"a""#)),
    .list(
      "a page", "it sends text/html, and no JSON", .answer(type: "text/html;charset=utf-8", Array("[]".utf8))),
    .list("an empty list", "there are no species", .json("[]")),
    .list(
      "a wrong type", "'name' is a number: a string is expected",
      .json(#"[{"idspecies":1,"name":2,"image":""}]"#)),
    .list(
      "an id too large", "the id is a number: expected a whole number, 1 or more",
      .json(#"[{"idspecies":1e300,"name":"a","image":""}]"#)),
    .list(
      "an id twice", "the id 1 is that of species 1 of the list too",
      .json(#"[{"idspecies":1,"name":"a","image":""},{"idspecies":1,"name":"b","image":""}]"#)),
    .list(
      "a name for terminals", "the name holds a control character",
      .json(#"[{"idspecies":1,"name":"\u001b]0;x\u0007","image":""}]"#)),
    .list(
      "a script for a picture", "expected a picture's file name",
      .json(#"[{"idspecies":1,"name":"a","image":"javascript:alert(1)//.png"}]"#)),
    .list(
      "too many rows", "more than 10000 rows",
      .json(
        "[" + (1...10_001).map { #"{"idspecies":\#($0),"name":"a","image":""}"# }.joined(separator: ",") + "]"
      )),
    .list(
      "an endless list", "/invasive/species: it sends more than 8388608 bytes",
      .raw(endless + "application/json\r\n\r\n[", .forever)),
    .list(
      "a long list", "/invasive/species: it sends more than 8388608 bytes",
      .raw(endless + "application/json\r\nContent-Length: 99999999999\r\n\r\n[", .forever)),
    .list(
      "endless fields", "/invasive/species: ",
      .raw(endless + "application/json\r\nX: " + String(repeating: "y", count: 100) + "\r\n", .forever)),
    .list(
      "a redirect", "it sends one on to http://127.0.0.1:1/\\u{1B}x, which is not followed",
      .answer("302 Found", fields: ["Location: http://127.0.0.1:1/\u{1B}x"])),
    .list(
      "a redirect to a file", "it sends one on to file:///etc/passwd, which is not followed",
      .answer("301 Moved Permanently", fields: ["Location: file:///etc/passwd"])),
    .list("another status", "it answers with status 403", .answer("403 Forbidden")),
    .list(
      "a wish to be left alone for a day", "wants to be left alone for 86400 s",
      .answer("429 Too Many Requests", fields: ["Retry-After: 86400"])),
    .list("no HTTP", "/invasive/species: ", .raw("SSH-2.0-OpenSSH_9.2\r\n")),
    .picture(
      "a page for a picture", "/p.png: it sends no picture (text/html)", .answer(type: "text/html", png("x"))),
    .picture(
      "text for a picture", "/p.png: it sends no picture (image/png)",
      .answer(type: "image/png", Array("<script>".utf8))),
    .picture(
      "SVG for a picture", "/p.png: it sends no picture (image/svg+xml)",
      .answer(type: "image/svg+xml", Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8))),
    .picture("nothing for a picture", "/p.png: it sends no picture", .answer(type: "image/png")),
    .picture(
      "an endless picture", "/p.png: it sends more than 20971520 bytes",
      Reply(bytes: Array((endless + "image/png\r\n\r\n").utf8) + png("x"), end: .forever)),
    .picture(
      "half a picture of unknown length", "/p.png: the picture ends in the middle",
      Reply(bytes: Array((endless + "image/png\r\n\r\n").utf8) + png("x"), end: .close)),
    .picture(
      "half a picture, each time", "/p.png: ",
      Reply(bytes: Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n".utf8) + png("x"), end: .close)),
    .picture(
      "a redirect for a picture", "/p.png: it sends one on to /q.png, which is not followed",
      .answer("307 Temporary Redirect", fields: ["Location: /q.png"])),
    .picture(
      "a 304 that nobody asked for", "/p.png: it sends no picture", .answer("304 Not Modified", type: nil)),
  ]

  @Test("changes nothing, and says why", arguments: cases)
  func refused(wrong: Case) throws {
    let server = try ScriptedServer { request in
      if let reply = wrong.reply(request) { return reply }
      switch request.target {
      case "/invasive/species": return Self.species("/ok.png", "/p.png")
      case "/invasive/parks": return Self.parks
      default: return .answer(type: "image/png", png("ok"))
      }
    }
    let folder = try DataFolderUnderTest()
    let running = try folder.serve()
    let before = try folder.state()
    let (status, output, errors) = try folder.run("mirror", "--create", server.url)
    #expect(status == 1)
    #expect(output.isEmpty)
    #expect(errors.hasPrefix("understudy: "))
    #expect(errors.contains(wrong.complaint), "\(errors.prefix(1000))")
    #expect(errors.utf8.count < 2000)
    #expect(!errors.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    #expect(try folder.state() == before)
    #expect(server.connectionCount <= 8)
    running.end()
  }

  @Test("what names lead to stays in the folder for pictures, and what isn't the server's stays where it is")
  func names() throws {
    let other = try ScriptedServer { _ in .answer(type: "image/png", png("other")) }
    let images = [
      "/../../../../tmp/evil.png", "/a/..%2F..%2Fevil.png", "/a/%2e%2e", "/.hidden.png", "/dir/", "/x%00.png",
      "/b/picture.png", "/c/PICTURE.jpg", "/d/wrong.svg", "/e/photo.JPEG",
      "\(other.url.replacing("127.0.0.1", with: "localhost"))/far.png",
      "relative.png", "/f/species-7.png", "/b/picture.png?size=2", "/%C3%A4.png",
      "/g/\(String(repeating: "n", count: 300)).png",
      "/h/index", "/i/picture.png#part", "//localhost:\(other.port)/invasive/images/own.png",
    ]
    let list =
      "["
      + images.enumerated().map { #"{"idspecies":\#($0 + 1),"name":"S","image":"\#($1)"}"# }.joined(
        separator: ",") + "]"
    let server = try ScriptedServer { request in
      switch request.target {
      case "/invasive/species": .json(list)
      case "/invasive/parks": Self.parks
      default: .answer(type: "image/png", png(request.target))
      }
    }
    let folder = try DataFolderUnderTest()
    let (status, _, errors) = try folder.run("mirror", "--create", server.url)
    #expect(status == 0, "\(errors)")
    let names = try folder.run("export", "species").output.split(separator: "\r\n").dropFirst().map {
      String($0.split(separator: ",", omittingEmptySubsequences: false)[2])
    }
    #expect(
      names == [
        "evil.png", "species-2.png", "species-3.png", "species-4.png", "species-5.png", "species-6.png",
        "picture.png", "species-8.png", "wrong.png", "photo.png",
        "http://localhost:\(other.port)/far.png", "relative.png", "species-7.png", "species-14.png",
        "species-15.png", "species-16.png", "index.png", "species-18.png", "own.png",
      ])
    #expect(other.connectionCount == 0)
    let files = Set(names.filter { !$0.contains("://") })
    #expect(Set(folder.pictureNames) == files.union([".mirror"]))
    #expect(folder.picture("relative.png") == png("/invasive/relative.png"))
    #expect(folder.picture("own.png") == png("/invasive/images/own.png"))
    #expect(!FileManager.default.fileExists(atPath: "/tmp/evil.png"))
    #expect(folder.entries == ["images", "understudy.sqlite"])
    // One connection at a time, kept.
    #expect(server.connectionCount == 1)
  }

  @Test("a picture that the server hasn't is told, and no reason to give up")
  func missing() throws {
    let server = try ScriptedServer { request in
      switch request.target {
      case "/invasive/species": Self.species("/gone.png", "/here.png")
      case "/invasive/parks": Self.parks
      case "/here.png": .answer(type: "image/png", png("here"))
      default: .answer("404 Not Found")
      }
    }
    let folder = try DataFolderUnderTest()
    let (status, output, errors) = try folder.run("mirror", "--create", server.url)
    #expect(status == 0)
    #expect(
      errors == "understudy: \(server.url)/gone.png: it answers with status 404: species 1 has no picture\n")
    #expect(output.hasSuffix("pictures: 1 fetched, 0 as before\n"))
    #expect(try folder.run("export", "species").output.contains("1,S,gone.png,"))
  }

  @Test(
    "a server that is busy, or fails now and then, is asked again when it says",
    arguments: [
      "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", "",
    ])
  func busy(first: String) throws {
    let times = Condition<[String: [Date]]>([:])
    let server = try ScriptedServer { request in
      times.withLock { $0[request.target, default: []].append(Date()) }
      if request.count == 1, request.target != "/invasive/parks" { return .raw(first) }
      switch request.target {
      case "/invasive/species": return Self.species("/p.png")
      case "/invasive/parks": return Self.parks
      default: return .answer(type: "image/png", png("ok"))
      }
    }
    let folder = try DataFolderUnderTest()
    let (status, output, errors) = try folder.run("mirror", "--create", server.url)
    #expect(status == 0, "\(errors)")
    #expect(errors.isEmpty)
    #expect(output.hasSuffix("pictures: 1 fetched, 0 as before\n"))
    #expect(
      server.requests.map(\.target) == [
        "/invasive/species", "/invasive/species", "/invasive/parks", "/p.png", "/p.png",
      ])
    if first.contains("Retry-After: 1\r") {
      let asked = times.withLock { $0["/p.png"] ?? [] }
      try #require(asked.count == 2)
      #expect(asked[1].timeIntervalSince(asked[0]) > 0.95)
    }
  }
}
