import Testing

@testable import HTTP

@Suite("Handshakes that fail")
struct HandshakeFailuresTests {
  private static let minute: UInt64 = 60_000_000_000

  @Test("are told once a minute for each client and reason, with how many weren't told")
  func once() throws {
    let failures = HandshakeFailures()
    let start = 7 * Self.minute
    #expect(failures.turn("10.0.0.1 gone", at: start) == 0)
    for _ in 0..<5 { #expect(failures.turn("10.0.0.1 gone", at: start + 1) == nil) }
    #expect(failures.turn("10.0.0.2 gone", at: start + 2) == 5)
    #expect(failures.turn("10.0.0.1 no TLS", at: start + 3) == 0)
    #expect(failures.turn("10.0.0.1 gone", at: start + Self.minute - 1) == nil)
    #expect(failures.turn("10.0.0.1 gone", at: start + Self.minute) == 1)
  }

  @Test("are told so many times a minute, whoever comes")
  func flood() throws {
    let failures = HandshakeFailures()
    for minute in 1...3 as ClosedRange<UInt64> {
      let told = (0..<10_000).compactMap { failures.turn("\($0)", at: minute * Self.minute) }
      #expect(told.count == HandshakeFailures.limit)
      #expect(told.first == (minute == 1 ? 0 : 10_000 - HandshakeFailures.limit))
    }
  }
}
