import JSON
import Testing

@Suite("Whole numbers")
struct WholeNumberTests {
  @Test(
    "a number of integral value within 64 bits, or a string of digits, is a whole number",
    arguments: [
      ("1", 1), ("1.0", 1), ("1e0", 1), ("10e-1", 1), ("1000e-3", 1), ("0.001e3", 1), ("1.50e1", 15),
      ("0", 0),
      ("-0", 0), ("-0.0", 0), ("0e9", 0), ("0e99999999999999999999", 0), ("-0E-400", 0), ("-7", -7),
      ("12.000", 12), ("1.2e1", 12), ("1E2", 100), ("1e+2", 100), ("1e02", 100),
      ("9223372036854775807", .max), ("9223372036854775807.0", .max), ("9.223372036854775807e18", .max),
      ("92233720368547758070e-1", .max), ("-9223372036854775808", .min), ("-9.223372036854775808E+18", .min),
      ("1e18", 1_000_000_000_000_000_000), ("0.000000000000000000001e21", 1),
      (#""7""#, 7), (#""-7""#, -7), (#""007""#, 7), (#""0""#, 0), (#""-0""#, 0), (#""\u0037""#, 7),
      (#""9223372036854775807""#, .max), (#""-9223372036854775808""#, .min),
    ] as [(String, Int64)])
  func whole(written: String, expected: Int64) throws {
    #expect(try value(written)?.wholeNumber == expected)
  }

  @Test(
    "anything else is none",
    arguments: [
      "0.5", "1.5", "1e-1", "-0.1", "10e-2", "1.0000000000000000000000000001", "1e400", "-1e400", "1e19",
      "1e99999999999999999999", "1e-99999999999999999999", "9223372036854775808", "-9223372036854775809",
      "9223372036854775807.5", "9.3e18", "18446744073709551616", "100000000000000000000000000000001",
      #""""#, #""-""#, #""--7""#, #""+7""#, #"" 7""#, #""7 ""#, #""7.0""#, #""1e0""#, #""0x7""#, #""٣""#,
      #""７""#, #""7-""#, #""7\u0000""#, #""9223372036854775808""#, #""-9223372036854775809""#, "true",
      "false",
      "null", "[]", "[7]", "{}",
    ])
  func none(written: String) throws {
    let value = try #require(try value(written))
    #expect(value.wholeNumber == nil)
  }

  @Test("a number of a million digits takes no longer than reading it")
  func long() throws {
    let zeros = String(repeating: "0", count: 1_000_000)
    #expect(try value("1\(zeros)e-1000000")?.wholeNumber == 1)
    #expect(try value("0.\(zeros)1e1000001")?.wholeNumber == 1)
    #expect(try value("1\(zeros)")?.wholeNumber == nil)
  }
}
