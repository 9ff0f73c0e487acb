import TestSupport
import Testing

@testable import JSON

/// Our reader and Foundation's on the same documents; `FoundationAgreement` says where they differ, and
/// rightly. The documents are other ones in each run, and what goes wrong says how to have them again.
@Suite("Agreement with Foundation")
struct FoundationAgreementTests {
  private func compare(_ count: Int, seed: UInt64, _ next: (inout RandomDocuments) throws -> [UInt8]) throws {
    var documents = RandomDocuments(seed: seed)
    for _ in 0..<count {
      let difference = FoundationAgreement.disagreement(on: try next(&documents))
      try #require(difference == nil, "of seed \(seed)")
    }
  }

  private static let seeds: [UInt64] = [1, 2, .random(in: .min ... .max)]

  @Test("documents as Foundation writes them are read alike", arguments: seeds)
  func written(seed: UInt64) throws {
    try compare(500, seed: seed) { try $0.document() }
  }

  @Test(
    "documents written with other spaces, escapes, numbers and names twice are read alike", arguments: seeds)
  func rewritten(seed: UInt64) throws {
    try compare(1000, seed: seed) { $0.ownDocument() }
  }

  @Test("documents spoiled at random places are refused or read alike", arguments: seeds)
  func spoiled(seed: UInt64) throws {
    try compare(2500, seed: seed) { try $0.spoiledDocument() }
  }
}
