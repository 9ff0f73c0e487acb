#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension UnsafeMutablePointer<dirent> {
  /// The name of an entry that readdir(3) has given, as text.
  ///
  /// It is read where it lies: `d_name` is declared with room for the longest name, but an entry ends behind its own, and
  /// a copy of the whole would read beyond what readdir has.
  public var name: String {
    withUnsafeBytes(of: &pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
