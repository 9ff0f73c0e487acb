import Understudy

@testable import HTTP

/// Host names with ports, IP addresses and ranges of them. The input's first line is an authority
/// and an address, the second a range.
func fuzzAddress(_ input: [UInt8]) throws {
  let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
  let isValid = Authority.isValid(lines[0])
  try require(isValid == lines[0].withUnsafeBytes { Authority.isValid($0) }, "both ask the same")
  if isValid { try requireHarmless(lines[0]) }
  guard let address = IPAddress(lines[0].shown) else { return }
  try require(address.bytes.count == 16, "sixteen bytes")
  try require(IPAddress(address.description) == address, "\(address) is written and read")
  try require(Authority.isValid(Array(address.urlHost.utf8)[...]), "\(address) is a host")
  try require(Authority.isValid(Array("\(address.urlHost):65535".utf8)[...]), "\(address) with a port")
  try require(AddressRange("\(address)")?.contains(address) == true, "\(address) is in its own range")
  guard lines.count > 1 else { return }
  try requireRange(lines[1].shown, address)
}

/// What is taken for an authority goes into URLs, JSON and header fields as it is.
private func requireHarmless(_ authority: ArraySlice<UInt8>) throws {
  let isHarmless = authority.allSatisfy { byte in
    byte < 0x80
      && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber
        || "-._:[]".utf8.contains(byte))
  }
  try require(isHarmless, "\(authority.shown) can be written anywhere")
  try require(Application.isOrigin("http://\(authority.shown)"), "\(authority.shown) makes an origin")
  try require(!Authority.isValid(authority + "@a".utf8), "no user information")
  try require(!Authority.isValid(authority + "/".utf8), "no path")
}

/// A range holds the addresses whose first bits are its own.
private func requireRange(_ text: String, _ address: IPAddress) throws {
  guard let range = AddressRange(text) else { return }
  let parts = text.split(separator: "/")
  guard let base = IPAddress(String(parts[0])) else {
    throw Violation(description: "\(text) begins with an address")
  }
  let width = base.isIPv4 ? 32 : 128
  let bits = parts.count > 1 ? Int(parts[1]) ?? -1 : width
  try require((0...width).contains(bits), "the bits of \(text)")
  func prefix(_ address: IPAddress) -> Substring {
    address.bytes.map { byte in
      String(repeating: "0", count: byte.leadingZeroBitCount) + (byte > 0 ? String(byte, radix: 2) : "")
    }.joined().prefix(bits + 128 - width)
  }
  try require(
    range.contains(address) == (prefix(base) == prefix(address)), "whether \(text) contains \(address)")
}
