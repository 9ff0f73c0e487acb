#if canImport(Darwin)
  import Foundation
#else
  import CUTF8Proc
  import Glibc
#endif

extension String {
  /// The text in Unicode's normalization form C (UAX #15), in which names and passwords are
  /// compared: a keyboard that writes é as two scalars logs in where one that writes one does.
  var normalized: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    #if canImport(Darwin)
      return precomposedStringWithCanonicalMapping
    #else
      var text = self
      return text.withUTF8 { bytes in
        var composed: UnsafeMutablePointer<UInt8>?
        let length = utf8proc_map(
          bytes.baseAddress, bytes.count, &composed,
          utf8proc_option_t(UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue))
        // It fails only for want of memory, or on what is not UTF-8.
        guard length >= 0, let composed else { return String(decoding: bytes, as: UTF8.self) }
        defer { free(composed) }
        return String(decoding: UnsafeBufferPointer(start: composed, count: length), as: UTF8.self)
      }
    #endif
  }
}
