import CQREncode
import CSodium
import Certificates
import HTTP
import SQLite

#if canImport(CUTF8Proc)
  import CUTF8Proc
#endif

/// The libraries that this program runs with, which needn't be those that it was built with.
public enum Libraries {
  /// Their names and versions.
  public static var all: [(name: String, version: String)] {
    var all = [
      ("libmicrohttpd", Server.libraryVersion), ("SQLite", Connection.libraryVersion),
      ("libsodium", String(cString: sodium_version_string())), ("GnuTLS", Identity.libraryVersion),
      ("libqrencode", String(cString: QRcode_APIVersionString())),
    ]
    #if canImport(CUTF8Proc)
      all.append(("utf8proc", String(cString: utf8proc_version())))
    #endif
    return all
  }
}
