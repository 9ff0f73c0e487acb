import Certificates
import HTTP
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Application {
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
    /// How many lines of the log each thread may have waiting to be written.
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
}
