import JSON

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A header field of a response.
public struct Field: Sendable, Equatable {
  /// The name, as it is sent.
  public let name: String
  /// The value; no control characters.
  public let value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// An answer on its way to libmicrohttpd.
public struct Response: Sendable {
  /// Where the bytes of the body are.
  public enum Body: Sendable {
    case none
    case buffer(ByteBuffer)
    /// Bytes that are part of the program.
    case embedded(EmbeddedBytes)
    /// A file, sent from its descriptor.
    case file(OpenFile)

    /// How many bytes the body has.
    public var count: Int {
      switch self {
      case .none: 0
      case .buffer(let buffer): buffer.count
      case .embedded(let bytes): bytes.count
      case .file(let file): file.size
      }
    }
  }

  /// What a cache, a browser's or URLSession's, may do with the answer.
  public enum Caching: Sendable, Equatable {
    /// Keep it, and ask each time whether it is still good (`no-cache`). The validator is the given
    /// ETag, or for a nil one is made of the body.
    case validated(ETag?)
    /// Keep nothing: logins, keys, errors and answers to changes.
    case noStore
  }

  /// The status.
  public var status: Status
  /// The media type; nil without a body.
  public var type: String?
  /// Header fields beyond type, length, caching and date.
  public var fields: [Field] = []
  /// The body.
  public var body: Body
  /// What a cache may do with it.
  public var caching: Caching
  /// What the log says of the answer.
  public var detail: String?
  /// Whether that is more than the client is told.
  public var isDetailHidden = false
  /// Whether the connection ends after this answer.
  public var closesConnection = false

  public init(_ status: Status = .ok, type: String?, body: Body, caching: Caching) {
    self.status = status
    self.type = type
    self.body = body
    self.caching = caching
  }

  /// 200 with JSON that a cache may keep and ask after.
  public static func json(_ body: ByteBuffer) -> Response {
    Response(type: "application/json", body: .buffer(body), caching: .validated(nil))
  }

  /// 200 with the id of the row that a change was about, as a bare number, and where it is found.
  ///
  /// - Parameter collection: the URL that the id and a slash before it make the row's.
  public static func changed(_ id: Int64, in collection: String) -> Response {
    let body = ByteBuffer(capacity: 20)
    body.append(id)
    var response = Response(type: "application/json", body: .buffer(body), caching: .noStore)
    // With room for the request's id.
    response.fields.reserveCapacity(2)
    response.fields.append(Field("Location", "\(collection)/\(id)"))
    return response
  }
}

/// Bytes that are part of the program and live as long as it does.
public struct EmbeddedBytes: @unchecked Sendable {
  // Safe to share: constants of the program, never written.
  let start: UnsafeRawPointer
  /// How many bytes there are.
  public let count: Int

  /// - Parameter start: the first of `count` bytes that nobody ever changes or frees.
  public init(start: UnsafeRawPointer, count: Int) {
    self.start = start
    self.count = count
  }

  /// The bytes.
  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
}

/// A regular file that is open for reading.
public final class OpenFile: Sendable {
  /// The descriptor; closed with the object.
  let descriptor: Int32
  /// Its length in bytes, when it was opened.
  public let size: Int
  /// When it was written to last, in nanoseconds since 1970.
  public let modified: Int64
  /// What changes when the file is replaced or written to: the inode, the times and the length.
  public let version: String

  /// Opens a file of a folder; nil where there is none, or it is no regular file.
  ///
  /// - Parameter name: a file name, without a slash.
  public init?(_ name: String, in folder: String) {
    descriptor = open(folder + "/" + name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    size = Int(status.st_size)
    #if canImport(Darwin)
      let (time, change) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (time, change) = (status.st_mtim, status.st_ctim)
    #endif
    modified = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    version = "\(status.st_ino)-\(modified)-\(change.tv_sec)-\(change.tv_nsec)-\(size)"
  }

  deinit {
    close(descriptor)
  }

  /// Another descriptor for the same open file, for a library that closes it.
  func duplicateDescriptor() -> Int32 {
    fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
  }
}
