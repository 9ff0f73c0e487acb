import Testing

@testable import HTTP

@Suite("Addresses and authorities")
struct AddressTests {
  @Test(
    "a name or an address with an optional port is an authority",
    arguments: [
      "localhost", "localhost:8080", "localhost:", "a:0", "a:1", "a:65535", "a-b_c.example", "127.0.0.1",
      "127.0.0.1:80",
      "[::1]", "[::1]:80", "[::1]:", "[2001:db8::1]", "[::ffff:1.2.3.4]", "LOCALHOST", "xn--e1afmkfd.example",
      String(repeating: "a", count: 255),
    ])
  func authority(text: String) {
    #expect(Authority.isValid(Array(text.utf8)[...]))
  }

  @Test(
    "anything else is none",
    arguments: [
      "", ":", ":80", "a:65536", "a:99999", "a:100000", "a:-1", "a:+1", "a:x", "a:8 0", "a:80:80", "a b",
      " a", "a ", "a/",
      "a/b", "a?b", "a#b", "user@a", "user:pw@a", "a,b", "a;b", "\"a\"", "<a>", "a'b", "a\\b", "a\nb",
      "a\u{0}", "é",
      "::1", "[::1", "::1]", "[]", "[a]", "[1.2.3.4]", "[::1]a", "[::1]80", "[::1]:65536", "[::1%eth0]",
      "[v1.a]",
      "[::1\u{0}]", "[[::1]]", String(repeating: "a", count: 256),
    ])
  func noAuthority(text: String) {
    #expect(!Authority.isValid(Array(text.utf8)[...]))
  }

  @Test("an authority is read where it stands in a longer text")
  func slice() {
    let text = Array("http://host:80/a".utf8)
    #expect(Authority.isValid(text[7..<14]))
    #expect(!Authority.isValid(text[7..<15]))
  }

  @Test(
    "an address is written in its shortest form",
    arguments: [
      ("1.2.3.4", "1.2.3.4", "1.2.3.4"), ("::ffff:1.2.3.4", "1.2.3.4", "1.2.3.4"),
      ("::FFFF:0102:0304", "1.2.3.4", "1.2.3.4"),
      ("::1", "::1", "[::1]"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1", "[2001:db8::1]"), ("::", "::", "[::]"),
    ])
  func description(text: String, expected: String, host: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.description == expected)
    #expect(address.urlHost == host)
    #expect(IPAddress(expected) == address)
  }

  @Test(
    "what isn't an address is none",
    arguments: [
      "", "localhost", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.4:80", "1.2.3.4 ", " 1.2.3.4", "0x1.2.3.4",
      "1", "[::1]",
      "::1%lo", ":::1", "1::2::3", "12345::", "1.2.3.4/8", "1.2.3.4\u{0}", "::1\u{0}x",
    ])
  func noAddress(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test(
    "kinds of addresses are told apart",
    arguments: [
      ("127.0.0.1", true, false), ("127.255.0.9", true, false), ("128.0.0.1", false, false),
      ("::1", true, false),
      ("::2", false, false), ("::ffff:127.0.0.1", true, false), ("169.254.1.1", false, true),
      ("169.253.1.1", false, false),
      ("fe80::1", false, true), ("febf::1", false, true), ("fec0::1", false, false),
      ("fd00::1", false, false),
    ])
  func kinds(text: String, isLoopback: Bool, isLinkLocal: Bool) throws {
    let address = try #require(IPAddress(text))
    #expect(address.isLoopback == isLoopback)
    #expect(address.isLinkLocal == isLinkLocal)
  }

  @Test("one customer's network is an IPv4 address or 64 bits of IPv6")
  func network() {
    func network(_ text: String) -> [UInt8]? { (IPAddress(text)?.network).map(Array.init) }
    #expect(network("2001:db8:1:2::1") == network("2001:db8:1:2:ffff::9"))
    #expect(network("2001:db8:1:2::1") != network("2001:db8:1:3::1"))
    #expect(network("1.2.3.4") != network("1.2.3.5"))
    #expect(network("1.2.3.4") == network("::ffff:1.2.3.4"))
  }

  @Test(
    "a range has what shares its leading bits, and nothing else",
    arguments: [
      ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3/8", "10.9.9.9", true),
      ("192.168.1.0/31", "192.168.1.1", true), ("192.168.1.0/31", "192.168.1.2", false),
      ("1.2.3.4", "1.2.3.4", true),
      ("1.2.3.4", "1.2.3.5", false), ("1.2.3.4/32", "1.2.3.5", false), ("0.0.0.0/0", "255.1.2.3", true),
      ("0.0.0.0/0", "::1", false), ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true),
      ("172.16.0.0/12", "172.31.255.255", true), ("172.16.0.0/12", "172.32.0.0", false), ("::1", "::1", true),
      ("::1", "::2", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
      ("2001:db8::/33", "2001:db8:8000::1", false),
      ("::1/128", "127.0.0.1", false), ("10.0.0.0/8", "::ffff:10.1.1.1", true),
    ])
  func range(text: String, address: String, isIn: Bool) throws {
    let range = try #require(AddressRange(text))
    #expect(range.contains(try #require(IPAddress(address))) == isIn)
  }

  @Test(
    "what isn't a range is none",
    arguments: [
      "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.0/x",
      "10.0.0.0/ 8",
      "10/8", "::/129", "localhost/8", "10.0.0.0/255.0.0.0",
    ])
  func noRange(text: String) {
    #expect(AddressRange(text) == nil)
  }
}
