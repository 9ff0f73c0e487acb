import Foundation
import Testing

/// What the fuzzer has found worth keeping, and what once went wrong: `Tests/Fuzz/corpus/<target>`.
@Suite("The fuzzer's inputs")
struct CorpusTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "corpus")

  @Test("each kept input is dealt with", arguments: FuzzTarget.allCases)
  func kept(target: FuzzTarget) throws {
    let folder = Self.folder.appending(path: target.rawValue)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    try #require(!names.isEmpty)
    let take = try target.start()
    for name in names {
      let input = Array(try Data(contentsOf: folder.appending(path: name)))
      #expect(throws: Never.self, "\(target.rawValue)/\(name)") { try take(input) }
    }
  }
}
