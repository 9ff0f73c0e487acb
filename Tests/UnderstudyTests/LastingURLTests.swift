import Certificates
import Testing

@testable import Understudy

@Suite("The URL that is recommended")
struct LastingURLTests {
  @Test(
    "is the stood-in name's over HTTPS, else this machine's in its network",
    arguments: [
      (["cmsc106.net"], 443, "mac", "https://cmsc106.net"),
      (["10.0.0.7", "cmsc106.net", "other.example"], 8443, "mac", "https://cmsc106.net:8443"),
      ([], 443, "Ada-Mac.lan", "http://ada-mac.local:8080"),
      (["10.0.0.7", "fd00::7"], 443, "mac.local", "http://mac.local:8080"),
      // Nobody finds a machine by these.
      ([], 443, "localhost", nil), ([], 443, "", nil), ([], 443, "my_mac", nil), ([], 443, ".lan", nil),
    ] as [([String], UInt16, String, String?)])
  func lasting(names: [String], httpsPort: UInt16, machine: String, expected: String?) {
    #expect(
      Application.lastingURL(names: names, httpsPort: httpsPort, machine: machine, port: 8080) == expected)
  }

  @Test(
    "a host's name is letters, digits and hyphens",
    arguments: [
      ("CMSC106.net", "cmsc106.net"), ("a-b.c.", "a-b.c"), ("localhost", "localhost"), ("a.b1", "a.b1"),
      (String(repeating: "a", count: 63) + ".b", String(repeating: "a", count: 63) + ".b"),
      (String(repeating: "a", count: 64) + ".b", nil), (String(repeating: "a.", count: 128), nil),
      ("", nil), (".", nil), ("a..b", nil), ("-a.b", nil), ("a-.b", nil), ("a b", nil), ("a\nb", nil),
      ("a#b", nil), ("ä.b", nil), ("*.a", nil), ("127.0.0.1", nil), ("::1", nil), ("a.1", nil), ("a/b", nil),
    ] as [(String, String?)])
  func names(text: String, expected: String?) {
    #expect(HostName(text)?.description == expected)
    // An address is a name for a certificate, and none for a hosts file.
    if !["127.0.0.1", "::1"].contains(text) { #expect(SubjectName(text)?.description == expected) }
  }
}
