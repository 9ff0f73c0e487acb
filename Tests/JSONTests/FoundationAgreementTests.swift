import Foundation
import JSON
import Testing

/// Our reader and Foundation's, which the iOS clients write and read with, on the same documents.
///
/// Where they differ, and rightly:
/// - Foundation takes a comma before a closing bracket, which RFC 8259 doesn't have;
/// - Foundation refuses numbers beyond a Double, and we keep them as they were written;
/// - Foundation looks for UTF-16 and UTF-32 in what has a NUL among its first bytes, nests 512 deep, and
///   may keep another one of two members of the same name: the documents here give it no cause to.
@Suite("Agreement with Foundation")
struct FoundationAgreementTests {
  /// Both accept the document and agree on its strings, or both refuse it.
  private func compare(_ document: [UInt8]) {
    let theirs = try? JSONSerialization.jsonObject(with: Data(document)) as? [String: Any]
    let shown = String(decoding: document, as: UTF8.self)
    switch (Result { () throws(JSONError) in try JSONReader.object(in: document) }, theirs) {
    case (.failure, nil): break
    case (.success, nil): #expect(hasNumberBeyondDouble(shown), "only Foundation refuses \(shown)")
    case (.failure(let error), .some):
      #expect(isCommaBeforeBracket(document, at: error.offset), "only we refuse, \(error): \(shown)")
    case (.success(let ours), let theirs?): compare(ours, theirs, shown)
    }
  }

  private func compare(_ ours: JSONObject, _ theirs: [String: Any], _ shown: String) {
    #expect(Set(ours.members.map(\.name)) == Set(theirs.keys), "the names in \(shown)")
    for member in ours.members {
      if case .string(let text, _) = member.value {
        let string = theirs[member.name] as? String
        #expect(string?.utf8.elementsEqual(text.utf8) == true, "'\(member.name)' in \(shown)")
      } else {
        #expect(!(theirs[member.name] is String), "'\(member.name)' in \(shown)")
      }
    }
  }

  private func hasNumberBeyondDouble(_ document: String) -> Bool {
    document.matches(of: /-?[0-9.]+[eE][-+]?[0-9]+/).contains { number in
      Double(number.output).map { !$0.isFinite || $0 == 0 } ?? true
    }
  }

  private func isCommaBeforeBracket(_ document: [UInt8], at offset: Int) -> Bool {
    let before = document[..<offset].last { !" \n".utf8.contains($0) }
    return before == UInt8(ascii: ",") && "}]".utf8.contains(document[offset])
  }

  @Test("what Foundation writes is read alike")
  func written() throws {
    var documents = RandomDocuments(seed: 1)
    for _ in 0..<2000 { compare(try documents.document()) }
  }

  @Test("documents spoiled at random places are refused or read alike")
  func spoiled() throws {
    var documents = RandomDocuments(seed: 2)
    for _ in 0..<5000 { compare(documents.spoiled(try documents.document())) }
  }
}
