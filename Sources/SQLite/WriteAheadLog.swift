#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the write-ahead log beside a database holds (https://sqlite.org/fileformat2.html#the_write_ahead_log),
/// read without SQLite: opening a database could already change it.
struct WriteAheadLog {
  /// The numbers of the pages that its committed transactions wrote.
  private(set) var pages: Set<UInt32> = []
  /// How many pages the database has after the last of them; nil where there is none.
  private(set) var databasePages: UInt32?

  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// Reads the log of the database at `path`. Where there is none it holds nothing.
  ///
  /// The checksums aren't looked at: a transaction that was torn brings all the pages with it by which it
  /// says that the database grew.
  init(of path: String) {
    let descriptor = open(path + "-wal", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard let header = Self.words(descriptor, at: 0, count: Self.headerSize), header[0] | 1 == 0x377F_0683
    else { return }
    let pageSize = Int(header[2])
    guard pageSize >= 512 else { return }
    var offset = Self.headerSize
    var uncommitted: [UInt32] = []
    // A frame of the log as it was before it was begun anew has other salts.
    while let frame = Self.words(descriptor, at: offset, count: Self.frameHeaderSize),
      frame[2] == header[4], frame[3] == header[5]
    {
      uncommitted.append(frame[0])
      if frame[1] != 0 {
        pages.formUnion(uncommitted)
        uncommitted = []
        databasePages = frame[1]
      }
      offset += Self.frameHeaderSize + pageSize
    }
  }

  /// Big-endian numbers of 32 bits; nil where the file ends before.
  private static func words(_ descriptor: Int32, at offset: Int, count: Int) -> [UInt32]? {
    var bytes = [UInt8](repeating: 0, count: count)
    guard pread(descriptor, &bytes, count, off_t(offset)) == count else { return nil }
    return stride(from: 0, to: count, by: 4).map { start in
      bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }
}
