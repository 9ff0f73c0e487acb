import Foundation
import TestSupport
import Testing

/// The system's Python, which is the one that the package's requests belongs to.
private let python = ClientProgram(name: "/usr/bin/python3")

@Suite("Python")
struct PythonTests {
  /// Whether requests is there, asked where it needn't be.
  private static var isWanted: Bool {
    get async {
      #if os(Linux)
        true
      #else
        await (try? python.run(["-c", "import requests"]).status) == 0
          || ProcessInfo.processInfo.environment["CI"] == "true"
      #endif
    }
  }

  @Test(
    "makes all the calls of both apps with requests, and gets whole answers over a slow link",
    .enabled("Python or its requests were not found") { await isWanted }, arguments: ["apps.py", "slow.py"])
  func requests(file: String) async throws {
    try await withServer { server in
      try await python.succeed([
        ClientProgram.folder.appending(path: "Python/\(file)").path, "http://127.0.0.1:\(server.port)",
      ])
    }
  }
}
