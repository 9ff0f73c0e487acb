import TestSupport
import Testing

@Suite("JavaScript")
struct JavaScriptTests {
  private static let folder = ClientProgram.folder.appending(path: "JavaScript")

  @Test(
    "makes all the calls of both apps with fetch in Node",
    .enabled(if: ClientProgram.isWanted("node"), "Node was not found"))
  func node() async throws {
    try await withServer { server in
      try await ClientProgram(name: "node").succeed([
        Self.folder.appending(path: "apps.mjs").path, "http://127.0.0.1:\(server.port)",
      ])
    }
  }

  @Test(
    "makes them with fetch and jQuery in a browser's page of another origin, where every picture loads",
    .enabled(
      if: ClientProgram.isWanted(
        "node", "chromium", "chromedriver", "/usr/share/javascript/jquery/jquery.min.js"),
      "Debian has Chromium, its driver and jQuery as packages; here they were not found"))
  func browser() async throws {
    let log = try await withServer { server in
      for program in ["chromium", "chromedriver"] {
        try #require(ClientProgram(name: program).path != nil, "\(program) isn't installed")
      }
      try await ClientProgram(name: "node").succeed([
        Self.folder.appending(path: "browser.mjs").path, "http://127.0.0.1:\(server.port)",
      ])
    }
    // It asked for leave before it sent what a form can't.
    let leave = #""message":"OPTIONS /invasive/observations","status":204"#
    let wasAsked = log.contains(leave)
    #expect(wasAsked)
  }
}
