import Foundation
import TestSupport
import Testing
import Threads

@Suite("a mirror that is interrupted")
struct MirrorResumeTests {
  private static let species =
    "["
    + (1...6).map { #"{"idspecies":\#($0),"name":"S\#($0)","image":"/pictures/p\#($0).png"}"# }
    .joined(separator: ",") + "]"

  /// A server with six pictures, of which the fourth doesn't come until the test says so.
  private func server(etags: Bool, stalls: Condition<Bool>) throws -> ScriptedServer {
    try ScriptedServer { request in
      switch request.target {
      case "/invasive/species": return .json(Self.species)
      case "/invasive/parks": return .json(#"[{"idpark":1,"name":"P","county":"C"}]"#)
      case "/pictures/p4.png" where stalls.withLock { $0 }:
        var reply = ScriptedServer.Reply.answer(type: "image/png", png(request.target))
        reply.bytes.removeLast(3)
        reply.end = .silence
        return reply
      default:
        let etag = "\"\(request.target)\""
        if request.header.contains("If-None-Match: \(etag)") {
          return .answer("304 Not Modified", type: nil, fields: ["ETag: \(etag)"])
        }
        var reply = ScriptedServer.Reply.answer(
          type: "image/png", png(request.target), fields: etags ? ["ETag: \(etag)"] : [])
        if request.method == "HEAD" { reply.bytes.removeLast(png(request.target).count) }
        return reply
      }
    }
  }

  @Test(
    "goes on where it was after a kill, with a server that names versions and with one that doesn't",
    arguments: [true, false])
  func killed(etags: Bool) throws {
    let stalls = Condition(true)
    let server = try server(etags: etags, stalls: stalls)
    let folder = try DataFolderUnderTest()
    try folder.serve().end()
    let before = try folder.state()
    let mirror = Process()
    mirror.executableURL = ServerProcess.program
    mirror.environment = ProcessInfo.processInfo.environment.merging(["no_proxy": "*"]) { $1 }
    mirror.arguments = ["mirror", "--create", server.url, "--data", folder.path]
    mirror.standardError = FileHandle.nullDevice
    mirror.standardOutput = FileHandle.nullDevice
    try mirror.run()
    server.wait(for: "/pictures/p4.png")
    // Another one meanwhile is told to wait.
    let other = try folder.run("mirror", "--create", server.url)
    #expect(other.status == 1)
    #expect(other.errors.contains("another mirror is being made"))
    kill(mirror.processIdentifier, SIGKILL)
    mirror.waitUntilExit()
    // Nothing that an app sees has changed.
    #expect(try folder.state() == before)
    stalls.withLock { $0 = false }
    let asked = server.requests.count
    let (status, output, errors) = try folder.run("mirror", "--create", server.url)
    #expect(status == 0, "\(errors)")
    #expect(output.hasSuffix("pictures: 3 fetched, 3 as before\n"))
    let requests = server.requests.dropFirst(asked)
    for number in 1...6 {
      let target = "/pictures/p\(number).png"
      let own = requests.filter { $0.target == target }
      #expect(own.count == 1)
      #expect(own.first?.header.contains("If-None-Match") == (etags && number <= 3))
      #expect(own.first?.method == (!etags && number <= 3 ? "HEAD" : "GET"))
      #expect(folder.picture("p\(number).png") == png(target))
    }
    #expect(folder.pictureNames == [".mirror"] + (1...6).map { "p\($0).png" })
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.images.path + "/.mirror") == ["index"])
  }

  @Test("an index that is torn, or says what isn't so, costs no more than fetching again")
  func index() throws {
    let server = try server(etags: true, stalls: Condition(false))
    let folder = try DataFolderUnderTest()
    #expect(try folder.run("mirror", "--create", server.url).status == 0)
    let index = folder.images.appending(path: ".mirror/index")
    var lines = try String(contentsOf: index, encoding: .utf8).split(separator: "\n").map(String.init)
    try #require(lines.count == 6)
    lines[0] = "{\"url\":\"torn"
    lines[1] = lines[1].replacing("p2.png\",\"etag", with: "../../data/understudy.sqlite\",\"etag")
    lines[2] = "\0\u{FFFF}"
    try Data(lines.joined(separator: "\n").utf8).write(to: index)
    #expect(
      try folder.run("mirror", "--create", server.url).output.hasSuffix("pictures: 3 fetched, 3 as before\n"))
  }
}
