import Foundation
import TestSupport
import Testing
import Understudy

@Suite("understudy(1)")
struct ManualPageTests {
  private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test("in the repository is what the program's tables say")
  func current() throws {
    let (status, output, _) = try ServerProcess.run(["help", "--manual"])
    #expect(status == 0)
    let kept = try String(contentsOf: Self.repository.appending(path: "docs/understudy.1"), encoding: .utf8)
    #expect(output == kept, "make it anew: understudy help --manual > docs/understudy.1")
  }

  @Test("has nothing that mandoc finds fault with", .enabled(if: Program.mandoc != nil, "mandoc isn't there"))
  func lint() throws {
    let process = Process()
    process.executableURL = Program.mandoc
    process.arguments = [
      "-T", "lint", "-W", "warning", Self.repository.appending(path: "docs/understudy.1").path,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let complaints = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(String(decoding: complaints, as: UTF8.self) == "")
  }

  @Test("and the list of changes begins with this version")
  func changes() throws {
    let text = try String(contentsOf: Self.repository.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let newest = text.split(separator: "\n").first { $0.hasPrefix("## ") }
    #expect(newest == "## \(Application.version) – \(Application.released)")
  }

  private enum Program {
    static let mandoc = ["/usr/bin/mandoc", "/opt/homebrew/bin/mandoc"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }.map { URL(fileURLWithPath: $0) }
  }
}
