/// An `http` or `https` URL taken apart, as far as it is needed here (RFC 3986).
struct WebAddress: Equatable {
  /// `https`, in small letters.
  let scheme: String
  /// The host in small letters, without the port.
  let host: String
  let port: String
  /// The path and the query: never empty.
  let target: String

  /// - Parameters:
  ///   - reference: as it was written: absolute, or relative to `base`.
  ///   - base: where it stood.
  /// - Returns: nil where it leads to nothing that is asked by HTTP.
  init?(_ reference: String, relativeTo base: WebAddress? = nil) {
    guard !reference.isEmpty,
      reference.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
    else { return nil }
    let text = String(reference.prefix { $0 != "#" })
    let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "+" || $0 == "-" || $0 == "." }
    if text.dropFirst(name.count).first == ":" {
      scheme = name.lowercased()
      guard scheme == "http" || scheme == "https", text.dropFirst(name.count + 1).hasPrefix("//") else {
        return nil
      }
      guard let parts = Self.authority(text.dropFirst(name.count + 3)) else { return nil }
      (host, port, target) = parts
      return
    }
    guard let base else { return nil }
    scheme = base.scheme
    if text.hasPrefix("//") {
      guard let parts = Self.authority(text.dropFirst(2)) else { return nil }
      (host, port, target) = parts
      return
    }
    (host, port) = (base.host, base.port)
    if text.hasPrefix("/") {
      target = text
    } else {
      let path = base.target.prefix { $0 != "?" }
      let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
      target = (text.hasPrefix("?") ? String(path) : String(folder)) + text
    }
  }

  private static func authority(_ rest: Substring) -> (host: String, port: String, target: String)? {
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let target = rest.dropFirst(authority.count)
    // No name and password: they'd be sent to whoever is named behind them.
    guard !authority.contains("@") else { return nil }
    var host = authority
    var port: Substring = ""
    if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
      host = authority[..<colon]
      port = authority[authority.index(after: colon)...]
    }
    guard !host.isEmpty, port.allSatisfy(\.isNumber) else { return nil }
    return (host.lowercased(), String(port), target.hasPrefix("/") ? String(target) : "/" + target)
  }

  /// What the URLs of a server's resources begin with.
  var origin: String { "\(scheme)://\(host)" + (port.isEmpty ? "" : ":\(port)") }

  var text: String { origin + target }

  /// The name behind the path's last slash, with its escapes resolved.
  var fileName: String {
    let path = target.prefix { $0 != "?" }
    let segment = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    var bytes: [UInt8] = []
    var rest = Array(segment.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
