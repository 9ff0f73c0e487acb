#if os(Linux)
  import Foundation

  /// Starting programs as another user than root, who alone may.
  public enum OtherUser {
    public static let isAvailable = geteuid() == 0 && FileManager.default.isExecutableFile(atPath: setpriv)
    private static let setpriv = "/usr/bin/setpriv"

    /// What stands before the program.
    public static func launcher(_ user: uid_t) -> [String] {
      [setpriv, "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups"]
    }

    /// The user who owns nothing.
    public static let nobody: uid_t = 65_534
  }
#endif
