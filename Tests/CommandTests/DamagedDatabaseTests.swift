import Foundation
import TestSupport
import Testing

@Suite("a damaged database")
struct DamagedDatabaseTests {
  private let folder = try! TemporaryFolder()
  private var file: URL { folder.url.appending(path: "understudy.sqlite") }

  /// Makes a data folder with sightings that fill many pages.
  private func fill() throws {
    let server = try ServerProcess(["--data", folder.path])
    let client = try RawClient(port: server.port)
    let user = request("POST", "/invasive/users", #"{"username":"ada","password":"pw"}"#)
    #expect(client.answer(to: user)?.status == 200)
    for number in 1...100 {
      let comment = "sighting \(number) " + String(repeating: "x", count: 1500)
      let sighting = #"{"user":1,"species":1,"park":1,"comment":"\#(comment)","date":""}"#
      #expect(client.answer(to: request("POST", "/invasive/observations", sighting))?.status == 200)
    }
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
  }

  /// Starts a server that has to refuse the folder, and leave it as it was.
  private func requireRefusal(_ reason: String) throws {
    let before = folder.contents
    let (status, output, errors) = try ServerProcess.run(["serve", "--port", "0", "--data", folder.path])
    #expect(status == 1)
    #expect(output.isEmpty)
    #expect(errors.contains(reason) && errors.contains("--data"), "\(errors)")
    #expect(errors.split(separator: "\n").count == 1)
    // The index of the log holds nothing that isn't in the log, and who had the folder has it no more.
    let isPassing: (String) -> Bool = { $0.hasSuffix("-shm") || $0 == "understudy.lock" }
    #expect(folder.contents.filter { !isPassing($0.key) } == before.filter { !isPassing($0.key) })
  }

  @Test(
    "one that was cut short is refused in one line, and left as it was",
    arguments: [1, 15, 50, 99, 100, 511, 512, 4095, 4096, 4097, 8192, 50_000, -1, -4096])
  func truncated(length: Int) throws {
    try fill()
    let bytes = try Data(contentsOf: file)
    try bytes.prefix(length < 0 ? bytes.count + length : length).write(to: file)
    try requireRefusal((0..<100).contains(length) ? "is not a SQLite database" : "is damaged")
  }

  @Test(
    "one that was cut short beside the log of a server that was killed is refused, unless the log has what is missing",
    arguments: [(4096, false), (100_000, false), (-40_960, false), (-4096, true), (-1, true)])
  func truncatedBesideLog(length: Int, isWhole: Bool) throws {
    try fill()
    let server = try ServerProcess(["--data", folder.path])
    let client = try RawClient(port: server.port)
    // What goes into the last page of the file, and only there.
    let sighting = #"{"user":1,"species":1,"park":1,"comment":"last","date":""}"#
    #expect(client.answer(to: request("POST", "/invasive/observations", sighting))?.status == 200)
    server.signal(SIGKILL)
    #expect(server.wait() == -SIGKILL)
    let bytes = try Data(contentsOf: file)
    try bytes.prefix(length < 0 ? bytes.count + length : length).write(to: file)
    guard isWhole else { return try requireRefusal("is damaged") }
    let next = try ServerProcess(["--data", folder.path])
    next.signal(SIGTERM)
    #expect(next.wait() == 0)
    #expect(try StoredRows(of: folder.url).defects.isEmpty)
    #expect(try StoredRows(of: folder.url).observations.last?.comment == "last")
  }

  @Test(
    "one whose beginning is overwritten is refused in one line, and left as it was", arguments: [100, 4096])
  func overwritten(offset: Int) throws {
    try fill()
    var bytes = try Data(contentsOf: file)
    // From behind the header on, or from the page behind it: the schema, the catalogue.
    let end = bytes.count / 4
    bytes.replaceSubrange(offset..<end, with: repeatElement(0xA5, count: end - offset))
    try bytes.write(to: file)
    try requireRefusal("is damaged")
  }

  @Test("garbage among its rows is told to who asks for them, and the rest is served")
  func garbage() throws {
    try fill()
    var bytes = try Data(contentsOf: file)
    let row = try #require(bytes.range(of: Data("sighting 50 ".utf8)))
    let page = row.lowerBound / 4096 * 4096
    bytes.replaceSubrange(page..<page + 4096, with: repeatElement(0xA5, count: 4096))
    try bytes.write(to: file)
    let server = try ServerProcess(["--data", folder.path])
    let client = try RawClient(port: server.port)
    func status(_ target: String) -> Int? {
      client.answer(to: "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")?.status
    }
    #expect(status("/invasive/observations") == 503)
    #expect(status("/invasive/observations/1") == 200)
    #expect(status("/invasive/parks") == 200)
    #expect(status("/invasive/observations?limit=5") == 200)
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
    #expect(server.log.contains("malformed"))
  }
}
