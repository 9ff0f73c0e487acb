#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a disk has left.
struct DiskSpace: Equatable {
  /// The bytes that a user who isn't root can still write.
  let free: Int
  /// Whether it is mounted so that nothing can be written.
  let isReadOnly: Bool

  /// Of the disk that a file or folder is on; nil where the system doesn't say.
  init?(at path: String) {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    free = Int(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
    isReadOnly = status.f_flag & UInt(ST_RDONLY) != 0
  }

  /// Bytes as people read them: `1.5 MiB`.
  static func text(_ bytes: Int) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"]
    guard bytes >= 1024 else { return "\(bytes) bytes" }
    var (tenths, unit) = (bytes / 1024 * 10 + bytes % 1024 * 10 / 1024, 0)
    while tenths >= 10_240, unit < units.count - 1 { (tenths, unit) = (tenths / 1024, unit + 1) }
    return tenths >= 100 ? "\(tenths / 10) \(units[unit])" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
