import Foundation
import TestSupport
import Testing
import UnderstudyTesting

/// "image is an absolute URL that the requesting device can load."
@Suite("Absolute URLs and pictures")
struct OriginTests {
  private let forwarded = [
    "X-Forwarded-For: 203.0.113.7", "X-Forwarded-Host: species.example", "X-Forwarded-Proto: https",
  ]

  @Test("a trusted proxy says where the request was sent to")
  func trustedProxy() throws {
    let server = try TestServer { $0.server.trustedProxies = [.init("127.0.0.0/8")!] }
    defer { server.stop() }
    let response = try server.answer("GET /invasive/species/1", with: forwarded)
    #expect(response.text.contains(#""image":"https://species.example/invasive/images/"#))
    let plain = try server.answer("GET /invasive/species/1")
    #expect(plain.text.contains(#""image":"\#(server.url)/invasive/images/"#))
  }

  @Test("a proxy that isn't trusted says nothing")
  func otherProxy() throws {
    let server = try TestServer { $0.server.trustedProxies = [.init("10.0.0.0/8")!] }
    defer { server.stop() }
    let response = try server.answer("GET /invasive/species/1", with: forwarded)
    #expect(response.text.contains(#""image":"\#(server.url)/invasive/images/"#))
  }

  @Test("the public URL goes before everything else")
  func publicURL() throws {
    let server = try TestServer { options in
      options.publicURL = "https://understudy.example"
      options.server.trustedProxies = [.init("127.0.0.0/8")!]
    }
    defer { server.stop() }
    for target in ["/invasive/species", "/invasive/species/1"] {
      let response = try server.answer("GET \(target)", with: forwarded)
      #expect(
        response.text.contains(#""image":"https://understudy.example/invasive/images/garlic-mustard.png""#))
      #expect(!response.text.contains("species.example"))
    }
    let user = try server.addUser("writer")
    for _ in 0..<2 {
      let posted = try server.answer("POST /invasive/observations", sighting(user: user))
      #expect(posted["Location"] == "https://understudy.example/invasive/observations/\(posted.text)")
    }
    let link = try server.answer("GET /invasive/observations?limit=1")["Link"]
    #expect(link?.hasPrefix("<https://understudy.example/invasive/observations?") == true)
  }

  @Test("the newest picture of a stem is served, with its own type, under every extension")
  func newestPicture() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "contract-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let images = folder.appending(path: "images")
    try FileManager.default.createDirectory(at: images, withIntermediateDirectories: true)
    let server = try TestServer { $0.dataFolder = folder.path }
    defer { server.stop() }
    func put(_ name: String, _ text: String, second: Double) throws {
      let file = images.appending(path: name)
      try Data(text.utf8).write(to: file)
      let time = Date(timeIntervalSince1970: second)
      try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: file.path)
    }
    func served() throws -> [String] {
      try ["png", "jpg", "webp"].map { type in
        let response = try server.answer("GET /invasive/images/garlic-mustard.\(type)")
        return "\(response["Content-Type"] ?? "") \(response.text)"
      }
    }
    let before = try server.answer("GET /invasive/images/garlic-mustard.png")
    #expect(before["Content-Type"] == "image/png")
    try put("garlic-mustard.jpg", "photograph", second: 2000)
    #expect(try served() == Array(repeating: "image/jpeg photograph", count: 3))
    try put("garlic-mustard.webp", "old", second: 1000)
    #expect(try served() == Array(repeating: "image/jpeg photograph", count: 3))
    try put("garlic-mustard.webp", "new", second: 3000)
    #expect(try served() == Array(repeating: "image/webp new", count: 3))
    let etag = try #require(before["ETag"])
    let fields = ["If-None-Match: \(etag)"]
    #expect(try server.answer("GET /invasive/images/garlic-mustard.png", with: fields).status == 200)
    #expect(try server.answer("GET /invasive/images/common-buckthorn.png")["Content-Type"] == "image/png")
  }
}
