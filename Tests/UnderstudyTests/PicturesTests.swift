import Foundation
import TestSupport
import Testing

@testable import HTTP
@testable import Understudy

/// The pictures of a folder, served.
private final class PictureServer {
  let root: TemporaryFolder
  private let server: Server
  private let client: RawClient
  private let port: UInt16

  init() throws {
    root = try TemporaryFolder()
    try FileManager.default.createDirectory(
      at: root.url.appending(path: "images"), withIntermediateDirectories: true)
    var router = Router()
    try Pictures(folder: root.path("images")).addRoutes(to: &router)
    let socket = try ListeningSocket.listen(host: "127.0.0.1", port: 0)
    var configuration = Server.Configuration()
    configuration.threads = 4
    server = try Server(socket, configuration, router: router, middleware: [])
    port = socket.address.port
    client = try RawClient(port: port)
  }

  deinit { server.stop() }

  func write(_ text: String, to name: String, modified: Date? = nil) throws {
    try root.write(text, to: "images/\(name)")
    if let modified { try root.setModified("images/\(name)", modified) }
  }

  /// What clients of every thread get.
  func getFromAll(_ name: String) throws -> [RawResponse] {
    try (0..<32).map { _ in try ask(name) }.map { try $0.response() }
  }

  /// A client that has asked for a picture, and reads nothing.
  func ask(_ name: String) throws -> RawClient {
    let client = try RawClient(port: port)
    try client.send("GET /invasive/images/\(name) HTTP/1.1\r\nHost: a\r\n\r\n")
    return client
  }

  var activeRequests: Int { server.activeRequests }

  func get(_ name: String, ifNoneMatch: String? = nil) throws -> RawResponse {
    let condition = ifNoneMatch.map { "If-None-Match: \($0)\r\n" } ?? ""
    try client.send("GET /invasive/images/\(name) HTTP/1.1\r\nHost: a\r\n\(condition)\r\n")
    return try client.response()
  }
}

@Suite("Pictures", .timeLimit(.minutes(1)))
struct PicturesTests {
  private let pictures = try! PictureServer()

  @Test(
    "what the program carries answers to any extension of a picture",
    arguments: ["png", "PNG", "jpg", "jpeg", "webp", "gif", "svg"])
  func embedded(fileExtension: String) throws {
    let answer = try pictures.get("garlic-mustard.\(fileExtension)")
    #expect(answer.status == 200)
    #expect(answer["Content-Type"] == "image/png")
    #expect(answer.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    #expect(try pictures.get("garlic-mustard.png", ifNoneMatch: answer["ETag"]).status == 304)
  }

  @Test("every species has its picture")
  func everySpecies() throws {
    for row in try CSV(EmbeddedText.species).rows {
      let name = try row.text("image")
      #expect(try pictures.get(name).status == 200, "\(name)")
    }
  }

  @Test(
    "a file of the folder goes before what the program carries, whatever its extension and that asked for",
    arguments: [
      ("png", "image/png"), ("JPG", "image/jpeg"), ("Jpeg", "image/jpeg"), ("webp", "image/webp"),
      ("GIF", "image/gif"),
      ("svg", "image/svg+xml"),
    ])
  func folderFirst(fileExtension: String, type: String) throws {
    try pictures.write("ours", to: "garlic-mustard.\(fileExtension)")
    for asked in ["png", "jpg", "WEBP"] {
      let answer = try pictures.get("garlic-mustard.\(asked)")
      #expect(answer.status == 200)
      #expect(answer.text == "ours")
      #expect(answer["Content-Type"] == type)
    }
    #expect(try pictures.get("common-buckthorn.png")["Content-Type"] == "image/png")
  }

  @Test("of the files of a stem the one changed last is served")
  func newest() throws {
    try pictures.write("drawing", to: "garlic-mustard.png", modified: Date(timeIntervalSince1970: 1_000_000))
    try pictures.write(
      "photograph", to: "garlic-mustard.jpg", modified: Date(timeIntervalSince1970: 2_000_000))
    #expect(try pictures.get("garlic-mustard.png").text == "photograph")
    // Nothing of the folder itself changes with this.
    try pictures.root.setModified("images/garlic-mustard.png", Date(timeIntervalSince1970: 3_000_000))
    #expect(try pictures.get("garlic-mustard.jpg").text == "drawing")
  }

  @Test("which counts for those who have been there before, on every thread")
  func everyThread() throws {
    #expect(try pictures.getFromAll("garlic-mustard.png").allSatisfy { $0["Content-Type"] == "image/png" })
    try pictures.write("ours", to: "garlic-mustard.jpg")
    #expect(try pictures.getFromAll("garlic-mustard.png").allSatisfy { $0.text == "ours" })
    try pictures.write("later", to: "garlic-mustard.webp", modified: Date().addingTimeInterval(60))
    #expect(try pictures.getFromAll("garlic-mustard.png").allSatisfy { $0.text == "later" })
    for name in ["jpg", "webp"] {
      try FileManager.default.removeItem(atPath: pictures.root.path("images/garlic-mustard.\(name)"))
    }
    #expect(try pictures.getFromAll("garlic-mustard.png").allSatisfy { $0["Content-Type"] == "image/png" })
  }

  @Test("a file that is put in, replaced or taken out while the server runs counts from the next request on")
  func running() throws {
    #expect(try pictures.get("new.png").status == 404)
    for round in 0..<20 {
      try pictures.write("round \(round)", to: "new.png")
      #expect(try pictures.get("new.jpg").text == "round \(round)")
      try pictures.write("other", to: "new-\(round).png")
      #expect(try pictures.get("new-\(round).png").text == "other")
      try FileManager.default.removeItem(atPath: pictures.root.path("images/new.png"))
      #expect(try pictures.get("new.png").status == 404)
    }
    try pictures.write("ours", to: "garlic-mustard.png")
    try FileManager.default.removeItem(atPath: pictures.root.path("images/garlic-mustard.png"))
    #expect(try pictures.get("garlic-mustard.png")["Content-Type"] == "image/png")
  }

  @Test("a folder that was changed long ago is looked into again when it changes")
  func oldFolder() throws {
    try pictures.write("old", to: "old.png")
    try pictures.root.setModified("images", Date(timeIntervalSince1970: 1_000_000))
    #expect(try pictures.get("old.png").text == "old")
    #expect(try pictures.get("new.png").status == 404)
    try pictures.write("new", to: "new.png")
    #expect(try pictures.get("new.png").text == "new")
  }

  @Test("a file that is put in within the same tick of the folder's clock is found")
  func sameTick() throws {
    try pictures.write("first", to: "first.png")
    let folder = pictures.root.path("images")
    var before = stat()
    #expect(stat(folder, &before) == 0)
    #expect(try pictures.get("second.png").status == 404)
    try pictures.write("second", to: "second.png")
    #if canImport(Darwin)
      let times = [before.st_atimespec, before.st_mtimespec]
    #else
      let times = [before.st_atim, before.st_mtim]
    #endif
    #expect(utimensat(AT_FDCWD, folder, times, 0) == 0)
    #expect(try pictures.get("second.png").text == "second")
  }

  @Test("a replaced file has another ETag, an unchanged one its own")
  func etag() throws {
    try pictures.write("one", to: "p.png")
    let first = try pictures.get("p.png")
    let tag = try #require(first["ETag"])
    #expect(first["Cache-Control"] == "no-cache")
    #expect(try pictures.get("p.jpg", ifNoneMatch: tag).status == 304)
    try pictures.write("two", to: "p.png")
    let second = try pictures.get("p.png", ifNoneMatch: tag)
    #expect(second.status == 200)
    #expect(second.text == "two")
    // Written over in place, to the same length.
    let handle = try FileHandle(forWritingTo: pictures.root.url.appending(path: "images/p.png"))
    try handle.write(contentsOf: Data("six".utf8))
    try handle.close()
    try pictures.root.setModified("images/p.png", Date(timeIntervalSince1970: 1_000_000))
    let third = try pictures.get("p.png", ifNoneMatch: second["ETag"])
    #expect(third.status == 200)
    #expect(third.text == "six")
  }

  @Test(
    "no name leaves the folder, and no file that isn't a picture leaves it",
    arguments: [
      "..%2Foutside.png", "%2e%2e%2Foutside.png", "../outside.png", "%2E%2E/outside.png", "sub%2Finside.png",
      "sub/inside.png",
      ".%2Finside.png", "ROOT%2Foutside.png", "sub%2F..%2Finside.png", "..%5Coutside.png", "inside.png%00",
      "inside%00.png",
      "inside.png%2F", "secret.txt", "secret", "secret.png", ".png", ".hidden", "..png", "", ".", "..",
      "inside.", "Inside.png",
      "inside", "garlic-mustard", "garlic-mustard.t t", "garlic-mustard.é", "Garlic-Mustard.png",
      "inside.png.png",
      "%FFinside.png", "*.png",
    ])
  func names(name: String) throws {
    try pictures.root.write("outside", to: "outside.png")
    try FileManager.default.createDirectory(
      atPath: pictures.root.path("images/sub"), withIntermediateDirectories: true)
    for file in ["inside.png", "sub/inside.png", "secret.txt", ".png", ".hidden"] {
      try pictures.write("contents", to: file)
    }
    #expect(try pictures.get("inside.png").status == 200)
    let root = pictures.root.path.replacing("/", with: "%2F")
    let answer = try pictures.get(name.replacing("ROOT", with: root))
    #expect(answer.status == 404)
    #expect(!answer.text.contains(pictures.root.path))
  }

  @Test(
    "a name may have any character that a file's name can have",
    arguments: ["wild parsnip.png", "é😀.png", "a+b&c=d.png", "100%.png", "a.b.png", "..a.png"])
  func characters(name: String) throws {
    try pictures.write(name, to: name)
    #expect(try pictures.get(name.percentEncoded).text == name)
  }

  @Test("what is called like a picture and is no file isn't served, and holds up nothing")
  func noFiles() throws {
    for name in ["pipe.png", "garlic-mustard.png", "both.png"] {
      #expect(mkfifo(pictures.root.path("images/\(name)"), 0o600) == 0)
    }
    for name in ["folder.png", "common-buckthorn.png"] {
      try FileManager.default.createDirectory(
        atPath: pictures.root.path("images/\(name)"), withIntermediateDirectories: false)
    }
    try FileManager.default.createSymbolicLink(
      atPath: pictures.root.path("images/dangling.png"), withDestinationPath: "nowhere")
    try pictures.write("file", to: "both.jpg")
    for name in ["pipe.png", "folder.png", "dangling.png"] { #expect(try pictures.get(name).status == 404) }
    #expect(try pictures.get("both.png").text == "file")
    for name in ["garlic-mustard.png", "common-buckthorn.png"] {
      #expect(try pictures.get(name)["Content-Type"] == "image/png")
    }
  }

  @Test("without the folder there is what the program carries")
  func noFolder() throws {
    try pictures.write("ours", to: "garlic-mustard.jpg")
    #expect(try pictures.get("garlic-mustard.png").text == "ours")
    try FileManager.default.removeItem(atPath: pictures.root.path("images"))
    #expect(try pictures.get("garlic-mustard.png")["Content-Type"] == "image/png")
  }

  #if os(Linux)
    @Test("all who are sent a photograph share its descriptor, until it changes or goes")
    func sharedDescriptor() throws {
      try pictures.write("one", to: "p.png")
      #expect(try pictures.get("p.jpg").text == "one")
      #expect(openFiles("p.png") == 2)
      // Those who don't read what they are sent keep it on its way.
      try pictures.write(String(repeating: "x", count: 16 << 20), to: "large.png")
      let readers = try (1...20).map { _ in try pictures.ask("large.png") }
      while pictures.activeRequests < readers.count {}
      #expect(try pictures.get("p.png").text == "one")
      #expect(openFiles("large.png") == 2)
      // Another file of the same name: the first is let go of.
      try pictures.write("other", to: "new.png")
      try FileManager.default.moveItem(
        atPath: pictures.root.path("images/p.png"), toPath: pictures.root.path("aside.png"))
      try pictures.write("two", to: "p.png")
      #expect(try pictures.get("p.png").text == "two")
      #expect(openFiles("aside.png") == 0)
      try FileManager.default.removeItem(atPath: pictures.root.path("images/p.png"))
      #expect(try pictures.get("p.png").status == 404)
      #expect(openFiles("p.png") == 0)
      // No more than some are kept, however many there are.
      for number in 0..<100 {
        try pictures.write("p", to: "\(number).png")
        #expect(try pictures.get("\(number).png").status == 200)
      }
      #expect((1...64).contains((0..<100).reduce(0) { $0 + openFiles("\($1).png") }))
    }

    /// How many descriptors of this process are of a file, which may be gone.
    private func openFiles(_ name: String) -> Int {
      let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      return links.count { link in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(link)")
        return target?.hasPrefix(pictures.root.path) == true && target?.contains("/\(name)") == true
      }
    }
  #endif

  @Test("a folder that takes the place of the first counts from the next request on")
  func replacedFolder() throws {
    let manager = FileManager.default
    let (images, aside) = (pictures.root.path("images"), pictures.root.path("aside"))
    try pictures.write("first", to: "p.png")
    try pictures.root.setModified("images", Date(timeIntervalSince1970: 1_000_000))
    #expect(try pictures.get("p.png").text == "first")
    try manager.moveItem(atPath: images, toPath: aside)
    #expect(try pictures.get("p.png").status == 404)
    try manager.createDirectory(atPath: images, withIntermediateDirectories: false)
    try pictures.write("second", to: "q.png")
    #expect(try pictures.get("q.png").text == "second")
  }

  @Test("an empty file, a copy that has just begun, takes no picture's place")
  func empty() throws {
    try pictures.write("", to: "empty.png")
    #expect(try pictures.get("empty.png").status == 404)
    try pictures.write("", to: "garlic-mustard.jpg")
    #expect(try pictures.get("garlic-mustard.png")["Content-Type"] == "image/png")
  }
}
