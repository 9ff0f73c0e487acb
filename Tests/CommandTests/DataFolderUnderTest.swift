import Foundation
import SQLite
import TestSupport
import Testing

/// A data folder, and the program's commands for it.
final class DataFolderUnderTest {
  let url: URL

  /// - Parameter path: below the test's own folder; it is made by the program.
  init(_ path: String = "data") throws {
    url = FileManager.default.temporaryDirectory.appending(path: "understudy-\(UUID().uuidString)")
      .appending(path: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
  }

  deinit {
    var folder = url
    while !folder.lastPathComponent.hasPrefix("understudy-") { folder.deleteLastPathComponent() }
    try? FileManager.default.removeItem(at: folder)
  }

  var path: String { url.path }

  /// Where else the test may put something.
  func beside(_ name: String) -> URL { url.deletingLastPathComponent().appending(path: name) }

  func serve(_ arguments: [String] = [], launcher: [String] = []) throws -> ServerProcess {
    try ServerProcess(["--data", path] + arguments, launcher: launcher)
  }

  /// Runs a command on the folder.
  func run(
    _ arguments: String..., input: String = "", launcher: [String] = []
  ) throws -> (status: Int32, output: String, errors: String) {
    try run(arguments, input: input, launcher: launcher)
  }

  func run(
    _ arguments: [String], input: String = "", launcher: [String] = []
  ) throws -> (status: Int32, output: String, errors: String) {
    try ServerProcess.run(
      arguments, environment: ["UNDERSTUDY_DATA": path, "no_proxy": "*"], launcher: launcher, input: input)
  }

  /// A number from the database.
  func integer(_ sql: String) throws -> Int64? {
    try Connection(path: url.appending(path: "understudy.sqlite").path, access: .readOnly).integer(sql)
  }

  var entries: Set<String> { Set((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []) }

  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.appending(path: name).path)
    return try #require(attributes[.posixPermissions] as? Int)
  }
}

extension ServerProcess {
  /// Ends it as its owner does, and waits.
  func end() {
    signal(SIGTERM)
    #expect(wait() == 0)
  }

  /// Sends a request, and waits for its answer.
  func answer(_ method: String, _ target: String, _ body: String = "") throws -> RawResponse {
    try #require(RawClient(port: port).answer(to: request(method, target, body)))
  }

  func signUp(_ name: String, password: String = "secret", app: String = "invasive") throws -> RawResponse {
    try answer(
      "POST", "/\(app)/users",
      #"{"username":"\#(name)","password":"\#(password)","realname":"R","phone":"5"}"#)
  }

  func logIn(_ name: String, password: String, app: String = "invasive") throws -> RawResponse {
    try answer("GET", "/\(app)/users?user=\(name)&password=\(password)")
  }
}
