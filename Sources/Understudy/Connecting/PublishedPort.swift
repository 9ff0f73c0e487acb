/// A port under which others reach one of the server's: what a container listens on is published under another number,
/// and nobody outside reaches it under the addresses that it has itself.
public struct PublishedPort: Sendable, Equatable {
  /// The port that others use.
  public let outside: UInt16
  /// The port that the server listens on.
  public let inside: UInt16

  /// Reads `443:8443`, the one that others use first, as Docker's `--publish` has it.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let outside = UInt16(parts[0]), let inside = UInt16(parts[1]), outside > 0,
      inside > 0
    else { return nil }
    self.outside = outside
    self.inside = inside
  }
}

extension [PublishedPort] {
  /// The port under which others reach one that the server listens on.
  public func outside(of port: UInt16) -> UInt16 {
    first { $0.inside == port }?.outside ?? port
  }
}
