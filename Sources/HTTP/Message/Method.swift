#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A request method (RFC 9110, section 9).
public enum Method: Hashable, Sendable {
  case get, head, post, put, delete, options
  case other(String)

  public init(_ name: String) {
    self = Self.known.first { $0.name == name } ?? .other(name)
  }

  /// The method of a request line.
  init(cString name: UnsafePointer<CChar>) {
    // Most ask for something, which takes no search.
    guard strcmp(name, "GET") != 0 else {
      self = .get
      return
    }
    self = Self.known.first { $0.name.withCString { strcmp($0, name) == 0 } } ?? .other(String(cString: name))
  }

  private static let known: [Method] = [.get, .post, .head, .put, .delete, .options]

  /// The method as it is sent.
  public var name: String {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .delete: "DELETE"
    case .options: "OPTIONS"
    case .other(let name): name
    }
  }
}
