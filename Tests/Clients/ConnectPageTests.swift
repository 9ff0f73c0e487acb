import Foundation
import TestSupport
import Testing

/// What a phone's camera sees of `/connect`.
@Suite("A camera")
struct ConnectPageTests {
  @Test(
    "reads the codes of /connect off a phone-sized screen, light and dark",
    .enabled(if: ClientProgram.isWanted("chromium", "zbarimg"), "Chromium or zbarimg was not found"),
    arguments: ["light", "dark"])
  func codes(scheme: String) async throws {
    try await withServer { server in
      // A screen that shows `localhost` shows the others' codes too.
      let page = "http://localhost:\(server.port)/connect"
      let picture = FileManager.default.temporaryDirectory.appending(path: "connect-\(UUID().uuidString).png")
      defer { try? FileManager.default.removeItem(at: picture) }
      // What it draws is all that is asked of it: without its sandbox it also runs as root.
      try await ClientProgram(name: "chromium").succeed([
        "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=390,4000",
        "--user-data-dir=\(picture.path).profile",
        "--blink-settings=preferredColorScheme=\(scheme == "dark" ? 0 : 1)", "--screenshot=\(picture.path)",
        page,
      ])
      try? FileManager.default.removeItem(atPath: picture.path + ".profile")
      let read = try await ClientProgram(name: "zbarimg").succeed(["-q", "--raw", picture.path])
      let printed = server.lines.map { $0.replacing("listening on ", with: "") + "/connect" }
      #expect(read.split(separator: "\n").map(String.init).sorted() == printed.sorted())
    }
  }
}
