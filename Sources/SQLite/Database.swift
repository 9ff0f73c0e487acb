import CSQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A database file of this program: created, checked and brought to the current schema, before
/// anything else opens it.
public struct Database: Sendable {
  /// What tells this program's files from others, and how its schema came to be.
  public struct Schema: Sendable {
    /// `PRAGMA application_id` (https://sqlite.org/pragma.html#pragma_application_id).
    public let applicationID: Int32
    /// The whole schema, for a database that is new: its version is `version`.
    public let definition: String
    /// The way from each older version to the next: the first from version 1 to 2.
    public let migrations: [String]

    public init(applicationID: Int32, definition: String, migrations: [String]) {
      self.applicationID = applicationID
      self.definition = definition
      self.migrations = migrations
    }

    /// The version of a database that has the whole schema; kept as `PRAGMA user_version`.
    public var version: Int { migrations.count + 1 }
  }

  /// Why a file can't be this program's database. Nothing has been changed.
  public enum OpenError: Error, Equatable, Sendable {
    /// The file isn't a SQLite database.
    case notADatabase
    /// A SQLite database of another program.
    case foreign(applicationID: Int32)
    /// Written by a newer version of this program.
    case newer(version: Int, known: Int)
    /// Part of the file is missing.
    case damaged(String)
    /// The file can't be made or opened.
    case unreachable(String)
    /// SQLite refused.
    case refused(SQLiteError)
  }

  /// The path of the file.
  public let path: String

  /// Opens the file, making it (mode 0600) where there is none, and migrates it.
  ///
  /// - Throws: `OpenError`. A file that isn't ours to change is left as it was.
  public init(path: String, schema: Schema) throws(OpenError) {
    self.path = path
    let header = try Self.header(of: path)
    if let header {
      guard header.isSQLite else { throw .notADatabase }
      guard header.applicationID == schema.applicationID else {
        throw .foreign(applicationID: header.applicationID)
      }
      try Self.requireKnown(header.version, schema: schema)
      try Self.requireWhole(header, path: path)
      // A newer version can have ended before what it wrote came into the file itself. Beside a journal
      // there is nothing of that kind yet, and only who may write can look.
      if access(path + "-wal", F_OK) == 0, access(path + "-journal", F_OK) != 0 {
        try Self.requireKnownVersion(path: path, schema: schema)
      }
    }
    do {
      let connection = try Connection(path: path, access: .readWrite)
      // Asking for its pages takes back what a power cut has left half done: then it can be empty again.
      if try connection.integer("PRAGMA page_count") == 0 { try Self.initialize(connection, schema: schema) }
      try Self.configure(connection)
      try Self.migrate(connection, schema: schema)
    } catch let error as OpenError {
      throw error
    } catch let error as SQLiteError {
      throw .refused(error)
    } catch {
      throw .unreachable("\(error)")
    }
  }

  /// A connection that only reads.
  public func reader() throws(SQLiteError) -> Connection {
    try Connection(path: path, access: .readOnly)
  }

  /// The connection that writes, and alone checkpoints: versions of SQLite before 3.51.3 can
  /// corrupt a WAL database when two connections checkpoint at once.
  public func writer() throws(SQLiteError) -> Connection {
    let connection = try Connection(path: path, access: .readWrite)
    try Self.configure(connection)
    return connection
  }

  private static func configure(_ connection: Connection) throws(SQLiteError) {
    try connection.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA fullfsync = ON;
      PRAGMA foreign_keys = ON;
      PRAGMA journal_size_limit = 67108864;
      """)
  }

  // MARK: Before it is opened

  private struct Header {
    let isSQLite: Bool
    let applicationID: Int32
    let version: Int
    /// How many pages the file has to have; nil where the header doesn't say.
    let pages: Int64?
    /// Of a page, in bytes.
    let pageSize: Int64
    /// Of the file, in bytes.
    let size: Int64
  }

  /// Reads the header of the file (https://sqlite.org/fileformat2.html#the_database_header), without
  /// SQLite: opening a database of another program could already change it. Nil where there is no
  /// file yet, an empty one, or one whose very first transaction a power cut has interrupted.
  private static func header(of path: String) throws(OpenError) -> Header? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw .unreachable(String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .unreachable("it is not a regular file")
    }
    var bytes = [UInt8](repeating: 0, count: 100)
    let length = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    guard length >= 0 else { throw .unreachable(String(cString: strerror(errno))) }
    if length == 0 || wasEmptyBeforeJournal(of: path) { return nil }
    let isSQLite = length == 100 && bytes.starts(with: Array("SQLite format 3\0".utf8))
    func integer(at offset: Int) -> Int32 {
      Int32(bitPattern: bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    let pageSize = Int64(bytes[16]) << 8 | Int64(bytes[17])
    // The number of pages is there for those who know how to keep it: the change counter says who did.
    let isSizeKnown = integer(at: 24) == integer(at: 92)
    return Header(
      isSQLite: isSQLite, applicationID: integer(at: 68), version: Int(integer(at: 60)),
      pages: isSizeKnown ? Int64(UInt32(bitPattern: integer(at: 28))) : nil,
      // Pages of 64 KiB are written as 1.
      pageSize: pageSize == 1 ? 65_536 : max(pageSize, 512), size: Int64(status.st_size))
  }

  /// A file that was cut short is refused before SQLite opens it to write: it takes what is missing of the last
  /// page for zeros, and of others only notices when somebody asks for them. What the file hasn't the log may
  /// have, where a checkpoint was interrupted. Beside a journal the file needn't be whole: SQLite makes it.
  private static func requireWhole(_ header: Header, path: String) throws(OpenError) {
    var status = stat()
    if stat(path + "-journal", &status) == 0, status.st_size > 0 { return }
    let log = WriteAheadLog(of: path)
    guard let expected = log.databasePages.map(Int64.init) ?? header.pages else { return }
    let present = header.size / header.pageSize
    guard present < expected else { return }
    let missing = (present + 1...expected).filter { !log.pages.contains(UInt32($0)) }
    guard let first = missing.first else { return }
    let isCutInside = first == present + 1 && header.size % header.pageSize != 0
    // A page that one transaction took and gave back is nowhere, and nobody's.
    if log.databasePages != nil, !isCutInside, isSound(path) { return }
    throw .damaged("it has \(header.size) bytes of \(expected * header.pageSize)")
  }

  private static func isSound(_ path: String) -> Bool {
    let found = try? Connection(path: path, access: .readOnly).rows("PRAGMA quick_check(1)") { $0.text(0) }
    return found == ["ok"]
  }

  /// Whether a rollback journal is beside the file that makes it empty again: whatever is in it was never
  /// committed (https://sqlite.org/fileformat2.html#the_rollback_journal).
  private static func wasEmptyBeforeJournal(of path: String) -> Bool {
    let descriptor = open(path + "-journal", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // Eight bytes of magic, the number of records, a nonce, and the pages that the database had before.
    var bytes = [UInt8](repeating: 0, count: 20)
    let length = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    return length == 20 && bytes.starts(with: magic) && bytes[16...].allSatisfy { $0 == 0 }
  }

  /// The application id goes in before WAL is switched on, so that it is in the file's header from
  /// the first moment.
  private static func initialize(_ connection: Connection, schema: Schema) throws(SQLiteError) {
    try connection.execute("PRAGMA application_id = \(schema.applicationID)")
  }

  private static func requireKnown(_ version: Int, schema: Schema) throws(OpenError) {
    guard version >= 0 else { throw .foreign(applicationID: schema.applicationID) }
    guard version <= schema.version else { throw .newer(version: version, known: schema.version) }
  }

  private static func requireKnownVersion(path: String, schema: Schema) throws(OpenError) {
    do {
      let version = try Connection(path: path, access: .readOnly).integer("PRAGMA user_version") ?? 0
      try requireKnown(Int(version), schema: schema)
    } catch let error as OpenError {
      throw error
    } catch let error as SQLiteError {
      throw .refused(error)
    } catch {
      throw .unreachable("\(error)")
    }
  }

  /// Brings the schema to its current version, a transaction for each step, which holds the step's
  /// version too: a step that is cut short has not happened.
  private static func migrate(_ connection: Connection, schema: Schema) throws {
    func step(_ sql: String, to version: Int) throws {
      try connection.transaction {
        try connection.execute(sql)
        try connection.execute("PRAGMA user_version = \(version)")
      }
    }
    let current = Int(try connection.integer("PRAGMA user_version") ?? 0)
    try requireKnown(current, schema: schema)
    if current == 0 { return try step(schema.definition, to: schema.version) }
    for version in current..<schema.version { try step(schema.migrations[version - 1], to: version + 1) }
  }
}
