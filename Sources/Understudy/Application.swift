import Certificates
import Embedded
import Files
import HTTP
import SQLite
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The whole program: a data folder, a database, and a server in front of them.
public final class Application: Sendable {
  /// The version of this program (https://semver.org).
  public static let version = "0.1.0"

  /// When that version came out.
  public static let released = "2026-11-30"

  /// The commit that it was built of, with a + where there were changes beyond it; nil where the build didn't say.
  public static let commit: String? = {
    let commit = String(cString: embedded_commit())
    return commit.isEmpty ? nil : commit
  }()

  /// Everything that can be set, with its default.
  public struct Options: Sendable {
    /// Whether it serves the apps. Otherwise it answers on the control socket alone: for a command that finds no
    /// server to ask.
    public var servesApps = true
    /// An address or name to listen on; nil for all interfaces.
    public var host: String?
    /// 0 for a free one.
    public var port: UInt16 = 8080
    /// The ports for HTTPS; 0 for a free one.
    public var httpsPorts: [UInt16] = []
    /// Under which ports others reach it, where they do by others than it listens on.
    public var publishedPorts: [PublishedPort] = []
    /// The names and addresses that it stands in for.
    public var names: [SubjectName] = []
    /// The file of one's own certificate, and of what leads from it to one that clients trust; nil for an authority
    /// in the data folder.
    public var tlsCertificate: String?
    /// The file of its key.
    public var tlsKey: String?
    /// How long a certificate of the authority's lasts, in seconds.
    var certificateLifetime = CertificateAuthority.serverLifetime
    /// How often it is looked whether the machine has new addresses or the certificate is old, in seconds.
    var certificatePeriod = 5.0
    /// The HTTP server's own options.
    public var server = Server.Configuration()
    /// The path of the data folder; nil for a temporary one that goes with the application.
    public var dataFolder: String? = "./data"
    /// What absolute URLs begin with; nil for what each request was sent to.
    public var publicURL: String?
    /// Which entries the log has.
    public var logLevel = Log.Level.info
    /// How its lines look.
    public var logFormat = Log.Format.text
    /// How many lines of the log may wait to be written.
    public var logQueue = 16_384
    /// Where the log goes.
    public var logDescriptor = STDERR_FILENO
    /// How many changes may wait for the writer.
    public var writerQueue = 4096
    /// How many bytes the data folder's disk has to have left for the server to be ready.
    public var diskThreshold = 32 << 20
    /// What has to be sent to read the metrics by a port; nil for nothing that could be.
    public var metricsToken: String?
    /// How long the writer may be at one transaction for the server to be ready, in seconds.
    var writerPatience = 5.0
    /// How many requests with an Idempotency-Key are remembered, for a day at most.
    public var idempotencyKeys = 100_000
    /// How many bytes of lists of people are kept ready.
    public var peopleCache = 16 << 20
    /// How many logins and sign-ups may wait for their password's hash.
    public var passwordQueue = 256
    /// Wrong passwords in a row, by app, name and address, before a name has to wait.
    public var loginTries = 10
    /// The same by app and name alone.
    public var loginTriesFromAnywhere = 100
    /// The longest wait after wrong passwords, in seconds.
    public var loginLongestWait = 60
    /// The time by which wrong passwords make wait, in nanoseconds, never going back; a test can give its own.
    public var clock: @Sendable () -> UInt64 = { MonotonicClock.now }
    /// From one backup in the data folder to the next, in seconds; nil for none.
    public var backupPeriod: Int?
    /// How many of them are kept.
    public var backupsKept = 28
    /// The longest until one that failed is tried again, in seconds.
    var backupRetry = 300
    /// How long requests that are under way at the end may take, in seconds.
    public var drainSeconds = 10

    public init() {}
  }

  /// Why it didn't start. Each says in a line what is wrong and what to do.
  public struct StartError: Error, CustomStringConvertible {
    /// The line.
    public let description: String
    /// Whether another process has the data folder.
    public let isFolderInUse: Bool

    init(_ error: any Error, description: String) {
      self.description = description
      isFolderInUse = if case DataFolder.Failure.inUse = error { true } else { false }
    }
  }

  private let options: Options
  private let socket: ListeningSocket?
  private let httpsSockets: [ListeningSocket]
  let identity: ServerIdentity?
  private let folder: DataFolder
  private let log: Log
  private let writer: Writer
  private let readers: Readers
  private let hasher: PasswordHasher
  let server: Server?
  let control: Control?
  private let schedule: BackupSchedule?

  /// Opens the data folder and begins to serve.
  ///
  /// - Throws: `StartError`; nothing has been changed then that was there before.
  public init(_ options: Options) throws(StartError) {
    do {
      self.options = options
      // First what can fail without having touched anything.
      socket =
        options.servesApps ? try ListeningSocket.listen(host: options.host, port: options.port) : nil
      httpsSockets = try options.httpsPorts.map { try ListeningSocket.listen(host: options.host, port: $0) }
      folder =
        try options.dataFolder.map {
          // A command asks again by itself, since there can be somebody to ask then.
          options.servesApps
            ? try DataFolder(path: $0, as: .server, patience: FolderLock.patience) : try DataFolder(path: $0)
        }
        ?? DataFolder(temporaryIn: temporaryFolder)
      try Self.checkCertificates(options, dataFolder: folder.path)
      log = try Log(
        level: options.logLevel, format: options.logFormat, descriptor: options.logDescriptor,
        queueLimit: options.logQueue)
      let database = try Database(path: folder.database, schema: Storage.schema)
      try folder.makeImages()
      let connection = try database.writer()
      try Catalogue.seed(connection)
      let catalogue = ServedCatalogue(try Catalogue(on: connection))
      writer = try Writer(connection: connection, queueLimit: options.writerQueue)
      readers = Readers(database)
      let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
      hasher = try PasswordHasher(threads: max(1, cores - 1), queueLimit: options.passwordQueue)
      let storage = Storage(readers: readers, writer: writer, idempotencyKeys: options.idempotencyKeys)
      let throttle = LoginThrottle(
        .init(
          tries: options.loginTries, triesFromAnywhere: options.loginTriesFromAnywhere,
          longestWait: options.loginLongestWait), now: options.clock)
      let accounts = Accounts(storage: storage, hasher: hasher, throttle: throttle)
      let origin = PublicOrigin(fixed: options.publicURL)
      identity = try Self.makeIdentity(options, dataFolder: folder.path, log: log)
      var router = Router()
      Home.addRoutes(to: &router)
      Liveness.addRoutes(to: &router)
      Readiness(
        folder: folder.path, threshold: options.diskThreshold, patience: options.writerPatience,
        writer: writer
      ).addRoutes(to: &router)
      let metrics = Metrics(
        folder: folder, writer: writer, hasher: hasher, log: log, identity: identity,
        limits: Metrics.Limits(
          writerQueue: options.writerQueue, passwordQueue: options.passwordQueue,
          diskThreshold: options.diskThreshold))
      if let token = options.metricsToken { metrics.addRoutes(to: &router, token: token) }
      // Who brings a certificate has devices trust that one's authority.
      let authority =
        options.tlsCertificate == nil ? TrustAnchorFile(path: folder.authorityCertificate) : nil
      Connect(
        publicURL: options.publicURL, urls: { [socket] in socket.map { Self.urls(of: $0, options) } ?? [] },
        secureURLs: { [httpsSockets, identity] host in
          Self.httpsURLs(of: httpsSockets, options, identity, host: host)
        },
        authorityPEM: { authority?.read() }, standIns: Self.standIns(options)
      ).addRoutes(to: &router)
      SpeciesRoutes(catalogue: catalogue, origin: origin).addRoutes(to: &router)
      ParkRoutes(catalogue: catalogue).addRoutes(to: &router)
      Pictures(folder: folder.images).addRoutes(to: &router)
      InvasiveUsers(storage: storage, accounts: accounts).addRoutes(to: &router)
      ObservationRoutes(storage: storage, origin: origin).addRoutes(to: &router)
      DirectoryUsers(storage: storage, accounts: accounts).addRoutes(to: &router)
      let lists = ResponseCache(limit: options.peopleCache)
      People(storage: storage, origin: origin, lists: lists).addRoutes(to: &router)
      let encryption = identity.map { [httpsSockets] in
        Server.Encryption(sockets: httpsSockets, identity: $0.current)
      }
      if let socket {
        server = try Server(
          socket, encryption: encryption, options.server, router: router,
          middleware: [RequestIDs(), CORS(), AccessLog(log)], log: log)
        if let server { metrics.attach(server) }
      } else {
        server = nil
      }
      let backups = Backups(folder: folder, database: database)
      let backupHealth = options.backupPeriod.map { [place = folder.backups] in
        BackupHealth(period: $0, folder: place) { backups.newest(in: place) }
      }
      control = try Self.makeControl(
        Control.Services(
          folder: folder, database: database, log: log, storage: storage,
          catalogue: catalogue, lists: lists, metrics: metrics, backups: backups,
          backupHealth: backupHealth), options)
      schedule =
        if let period = options.backupPeriod, let backupHealth {
          try BackupSchedule(
            .init(period: period, keep: options.backupsKept, retry: options.backupRetry), backups: backups,
            folder: folder.backups, log: log, health: backupHealth)
        } else { nil }
    } catch {
      throw StartError(error, description: Self.explain(error, options))
    }
  }

  deinit {
    stop()
  }

  /// The port that it listens on; 0 where it doesn't serve the apps.
  public var port: UInt16 { socket?.address.port ?? 0 }

  /// Whether it listens for this machine alone.
  public var isLocal: Bool { socket?.address.address.isLoopback ?? true }

  /// The ports that it listens on for HTTPS.
  public var httpsPorts: [UInt16] { httpsSockets.map(\.address.port) }

  /// URLs under which this server can be reached, those of other machines first, `localhost` last.
  public var urls: [String] { socket.map { Self.urls(of: $0, options) } ?? [] }

  private static func urls(of socket: ListeningSocket, _ options: Options) -> [String] {
    let port = options.publishedPorts.outside(of: socket.address.port)
    return hosts(of: socket, options).map { "http://\($0):\(port)" }
  }

  /// The same over TLS, before them the names that it stands in for: those that its certificate is for.
  public var httpsURLs: [String] { Self.httpsURLs(of: httpsSockets, options, identity) }

  /// - Parameter host: one more by which it has been reached, as a URL has it: the first.
  private static func httpsURLs(
    of sockets: [ListeningSocket], _ options: Options, _ identity: ServerIdentity?, host: String? = nil
  ) -> [String] {
    guard let certificate = identity?.current.value.certificate else { return [] }
    var seen: Set<String> = []
    return sockets.flatMap { socket in
      let port = options.publishedPorts.outside(of: socket.address.port)
      let hosts = (host.map { [$0] } ?? []) + options.names.map(\.urlHost) + Self.hosts(of: socket, options)
      return hosts.filter { SubjectName($0).map(certificate.covers) ?? false }.map {
        "https://\($0)\(port == 443 ? "" : ":\(port)")"
      }
    }.filter { seen.insert($0).inserted }
  }

  /// The public addresses by which others can reach this machine and find no certificate for them: an authority vouches
  /// for such a one only where it was told to. Those of IPv6 aren't among them, which change by themselves.
  public var uncertifiedAddresses: [String] {
    guard options.tlsCertificate == nil, let certificate = identity?.current.value.certificate else {
      return []
    }
    let hosts = Set(httpsSockets.flatMap { Self.hosts(of: $0, options) })
    return hosts.sorted().filter { host in
      IPAddress(host)?.isIPv4 == true && SubjectName(host).map(certificate.covers) == false
    }
  }

  /// The names that everybody else finds elsewhere. For those of a certificate of one's own the DNS mostly leads here,
  /// and multicast DNS finds the machine's.
  private static func standIns(_ options: Options) -> Set<String> {
    guard options.tlsCertificate == nil else { return [] }
    let hosts = options.names.compactMap(\.hostName)
    return Set(hosts.filter { !$0.hasSuffix(".local") })
  }

  private static func hosts(of socket: ListeningSocket, _ options: Options) -> [String] {
    guard options.publishedPorts.isEmpty else { return ["localhost"] }
    let bound = socket.address.address
    guard bound.bytes.allSatisfy({ $0 == 0 }) || bound == IPAddress("0.0.0.0") else { return [bound.urlHost] }
    let listensOnIPv6 = bound != IPAddress("0.0.0.0")
    let outside = machineAddresses().filter {
      !$0.isLoopback && !$0.isLinkLocal && ($0.isIPv4 || listensOnIPv6)
    }
    return (outside.filter(\.isIPv4) + outside.filter { !$0.isIPv4 }).map(\.urlHost) + ["localhost"]
  }

  /// Removes a temporary data folder, for a program that is ended in the middle of its end.
  public func removeTemporaryData() { folder.removeIfTemporary() }

  /// What of `drainSeconds` is kept for the password that is being hashed and for closing the database.
  private static let closingSeconds = 0.25

  /// Ends: stops listening, answers what is under way, for at most `drainSeconds`, and closes the
  /// database.
  public func stop() {
    let end = MonotonicClock.now + UInt64(options.drainSeconds) * 1_000_000_000
    func waitUntilIdle(_ server: Server?) -> Bool {
      let rest = Double(Int64(end) - Int64(MonotonicClock.now)) / 1e9
      return server?.waitUntilIdle(seconds: rest - Server.lastWords - Self.closingSeconds) ?? true
    }
    server?.beginDraining()
    control?.beginDraining()
    schedule?.close()
    let isIdle = waitUntilIdle(server)
    _ = waitUntilIdle(control?.server)
    // Whoever still waits for a hash is told to come again; what waits for the writer is written.
    hasher.close(dropping: !isIdle)
    control?.close()
    server?.stop()
    identity?.close()
    // The writer's connection is the last to go: it takes the write-ahead log into the database.
    readers.close()
    writer.close()
    log.close()
    folder.withdrawHolder()
  }

  static func explain(_ error: any Error, _ options: Options) -> String {
    let folder = options.dataFolder ?? temporaryFolder
    let database = "\(folder)/\(DataFolder.databaseName)"
    if let own = options.dataFolder,
      let line = explainOwnership(error, dataFolder: own, isServer: options.servesApps)
    {
      return line
    }
    return switch error {
    case let error as CertificateError:
      explain(
        certificate: error, dataFolder: options.tlsCertificate == nil ? folder : nil, names: options.names)
    case DataFolder.Failure.inUse(let path, let holder):
      "the data folder \(path) is in use by \(holder.other): \(holder.remedy), or choose another folder with --data"
    case DataFolder.Failure.databaseIsLinked(let path, let link):
      "\(path) \(link.description): \(link.remedy(for: path))"
    case DataFolder.Failure.unusable(let path, let reason):
      "can't use the data folder \(path) (\(reason)): make it a folder that can be written to, or choose another one with --data"
    case Database.OpenError.notADatabase:
      "\(database) is not a SQLite database: move it away, or choose another folder with --data"
    case Database.OpenError.foreign:
      "\(database) is a database of another program: choose another folder with --data"
    case Database.OpenError.newer(let version, let known):
      "\(database) was written by a newer version of this program (schema \(version), this one knows \(known)): use that version, or choose another folder with --data"
    case Database.OpenError.unreachable(let reason):
      "can't open \(database) (\(reason)): make it readable and writable, or choose another folder with --data"
    case Database.OpenError.damaged(let reason),
      Database.OpenError.refused(.notADatabase(let reason)), SQLiteError.notADatabase(let reason):
      "\(database) is damaged (\(reason)): move it away together with understudy.sqlite-wal, if that is there, and put a copy in its place, or choose another folder with --data"
    case Database.OpenError.refused(let error), let error as SQLiteError:
      "can't use \(database) (\(error)): see whether its disk is full or fails, or choose another folder with --data"
    case let error as Control.SocketFailure: error.description(in: folder)
    case ListenError.portInUse(let port):
      "port \(port) is in use: stop what listens there, or choose another one with \(portOption(port, options)) (0 finds a free one)"
    case ListenError.notPermitted(let port):
      "port \(port) needs a right that this user doesn't have: \(rights(port, options))"
    case ListenError.unknownHost(let host):
      "\(host) is not an address or name of this machine: leave --host out to listen on all of them"
    case ListenError.failed(let reason):
      "can't listen (\(reason)): choose another port with --port or --https"
    default:
      "can't start (\(error))"
    }
  }
}
