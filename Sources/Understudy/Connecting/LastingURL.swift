import Certificates
import HTTP

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Application {
  /// A public URL that is still right tomorrow, to be recommended where none was given: phones keep the
  /// `image` URLs that they got for ever, and this machine's addresses change from network to network.
  ///
  /// - Parameters:
  ///   - names: what the server stands in for over HTTPS, names and addresses; empty for none.
  ///   - httpsPort: where it does.
  ///   - machine: the machine's name, as `gethostname` gives it.
  ///   - port: where it speaks HTTP.
  /// - Returns: nil where the machine has no name that others could find it by.
  public static func lastingURL(
    names: [String] = [], httpsPort: UInt16 = 443, machine: String = machineName, port: UInt16
  ) -> String? {
    if let name = names.first(where: { IPAddress($0) == nil }) {
      return "https://\(name)" + (httpsPort == 443 ? "" : ":\(httpsPort)")
    }
    // Multicast DNS knows a machine by the first part of its name (RFC 6762, section 3).
    let label = machine.prefix { $0 != "." }
    guard label != "localhost", let name = HostName("\(label).local") else { return nil }
    return "http://\(name):\(port)"
  }

  /// The machine's name; empty where it has none.
  public static var machineName: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
