import Foundation
import JSON
import Testing

@Suite("Writing JSON")
struct WriterTests {
  private func written(_ text: String) -> String {
    let buffer = ByteBuffer()
    buffer.append(jsonString: text)
    return buffer.text
  }

  @Test(
    "what has to be escaped is, and nothing else",
    arguments: [
      ("", #""""#), ("a", #""a""#), (#"""#, #""\"""#), (#"\"#, #""\\""#), ("/", #""/""#),
      ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
      ("\u{0}\u{1}\u{B}\u{F}\u{10}\u{1F}", #""\u0000\u0001\u000b\u000f\u0010\u001f""#),
      ("\u{7F}", "\"\u{7F}\""), ("é\u{2028}😀", "\"é\u{2028}😀\""), (#"a"b"#, #""a\"b""#), ("\\\\", #""\\\\""#),
    ])
  func escapes(text: String, expected: String) {
    #expect(written(text) == expected)
  }

  @Test("every scalar up to U+FFFF comes back through Foundation and through our reader")
  func roundTrip() throws {
    let text = String(String.UnicodeScalarView((0...0xFFFF).compactMap { UnicodeScalar($0 as UInt32) })) + "😀"
    let document = Array("{\"v\":\(written(text))}".utf8)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(document)) as? [String: String])
    #expect(object["v"].map { $0.utf8.elementsEqual(text.utf8) } == true)
    guard case .string(let ours, _)? = try JSONReader.object(in: document)["v"] else {
      Issue.record("no string")
      return
    }
    #expect(ours.utf8.elementsEqual(text.utf8))
  }

  @Test("numbers are written as the standard library writes them")
  func numbers() {
    var numbers: [Int64] = [0, .max, .min, .max - 1, .min + 1]
    var power: Int64 = 1
    while true {
      numbers += [power - 1, power, power + 1, -power, 1 - power, -power - 1]
      let (next, overflow) = power.multipliedReportingOverflow(by: 10)
      guard !overflow else { break }
      power = next
    }
    for number in numbers {
      // The smallest buffer, so that the number is what makes it grow.
      let buffer = ByteBuffer(capacity: 0)
      buffer.append(String(repeating: "x", count: 60))
      buffer.append(number)
      #expect(buffer.text.dropFirst(60) == String(number))
    }
  }

  @Test("a fixed count of digits has the number's last ones, and zeros before them")
  func digits() {
    let buffer = ByteBuffer()
    buffer.append(atMost: 64) { text in
      text.append(1234, digits: 3)
      text.append(7, digits: 4)
      text.append(UInt8(ascii: " "))
      text.append(hexadecimal: 0xFEDC_BA98_7654_3210, digits: 16)
      text.append(hexadecimal: 0x1A2, digits: 2)
      text.append(hexadecimal: 5, digits: 3)
    }
    #expect(buffer.text == "2340007 fedcba9876543210a2005")
  }

  @Test("what is written at once has the room that it may take, whatever is there already", arguments: 0...70)
  func room(count: Int) {
    let before = String(repeating: "x", count: count)
    let buffer = ByteBuffer(capacity: 0)
    buffer.append(before)
    buffer.append(atMost: 40) { text in
      text.append("é😀")
      text.append(Int64.min)
    }
    #expect(buffer.text == before + "é😀-9223372036854775808")
  }

  @Test("who writes more at once than was said doesn't write on")
  func pastTheRoom() async {
    await #expect(processExitsWith: .failure) {
      ByteBuffer(capacity: 64).append(atMost: 3) { $0.append("four") }
    }
  }

  @Test("a buffer grows with what is appended and keeps it")
  func growth() {
    let buffer = ByteBuffer(capacity: 1)
    var expected: [UInt8] = []
    for index in 0..<10_000 {
      buffer.append(UInt8(truncatingIfNeeded: index))
      buffer.append("é")
      buffer.append("ab" as StaticString)
      expected += [UInt8(truncatingIfNeeded: index), 0xC3, 0xA9, 0x61, 0x62]
    }
    #expect(buffer.count == expected.count)
    #expect(buffer.bytes.elementsEqual(expected))
  }

  @Test(
    "truncating takes back what came last, never adds",
    arguments: [(0, ""), (2, "ab"), (4, "abcd"), (9, "abcd"), (-1, "")])
  func truncate(count: Int, expected: String) {
    let buffer = ByteBuffer("abcd")
    buffer.truncate(to: count)
    #expect(buffer.text == expected)
    buffer.append("x")
    #expect(buffer.text == expected + "x")
  }
}
