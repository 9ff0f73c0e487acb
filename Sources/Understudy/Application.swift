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

  let options: Options
  let socket: ListeningSocket?
  let httpsSockets: [ListeningSocket]
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
      if let lost = LostData(in: folder.path) { throw lost }
      try Self.checkCertificates(options, dataFolder: folder.path)
      log = try Log(
        level: options.logLevel, format: options.logFormat, descriptor: options.logDescriptor,
        queueLimit: options.logQueue)
      let database = try Database(path: folder.database, schema: Storage.schema)
      try folder.makeImages()
      let connection = try database.writer()
      try Catalogue.seed(connection)
      let origin = PublicOrigin(fixed: options.publicURL)
      let catalogue = try ServedCatalogue(try Catalogue(on: connection), origin: origin)
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
      try Pictures(folder: folder.images).addRoutes(to: &router)
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
}
