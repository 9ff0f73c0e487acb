import JSON
import TestSupport

/// A document beside Foundation's reading of it, and what our reader gives of it, read again.
func fuzzJSON(_ input: [UInt8]) throws {
  if let difference = FoundationAgreement.disagreement(on: input) { throw Violation(description: difference) }
  guard let object = try? JSONReader.object(in: input) else { return }
  try require(
    Set(object.members.map { Array($0.name.utf8) }).count == object.members.count,
    "each name once: \(input.shown)")
  for member in object.members {
    let alone = Array("{".utf8) + member.rawName + Array(" :".utf8) + member.value.raw + Array("}".utf8)
    let again = try JSONReader.object(in: alone).members
    try require(
      again.count == 1 && again[0].name.utf8.elementsEqual(member.name.utf8)
        && again[0].value.raw == member.value.raw && again[0].value.kind == member.value.kind,
      "a member by itself is the same: \(alone.shown)")
    try requireRoundTrip(of: member)
  }
}

/// The text of a name and of a string, written by us, is read as itself.
private func requireRoundTrip(of member: JSONObject.Member) throws {
  var texts = [member.name]
  if case .string(let text, _) = member.value { texts.append(text) }
  for text in texts {
    let written = ByteBuffer()
    written.append("{\"a\":" as StaticString)
    written.append(jsonString: text)
    written.append(UInt8(ascii: "}"))
    guard case .string(let read, _)? = try JSONReader.object(in: Array(written.bytes)).members.first?.value
    else { throw Violation(description: "a string is read as one: \(written.text)") }
    try require(read.utf8.elementsEqual(text.utf8), "a string written and read: \(written.text)")
  }
  if let number = member.value.wholeNumber {
    let written = ByteBuffer()
    written.append(number)
    try require(Int64(written.text) == number, "a number written and read: \(number)")
  }
}
