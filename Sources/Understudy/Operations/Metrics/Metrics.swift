import CSodium
import HTTP
import SQLite
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `/metrics`: how the server is and what it has done, for Prometheus and those who read its format.
final class Metrics: Sendable {
  private struct Attached: Sendable {
    /// Its router leads here.
    weak var server: Server?
  }

  private let folder: DataFolder
  private let writer: Writer
  private let hasher: PasswordHasher
  private let log: Log
  private let identity: ServerIdentity?
  private let limits: Limits
  private let attached = Condition(Attached())
  private let start = (monotonic: MonotonicClock.now, wall: time(nil))

  /// What stands beside the numbers that it limits.
  struct Limits: Sendable {
    let writerQueue: Int
    let passwordQueue: Int
    let diskThreshold: Int
  }

  init(
    folder: DataFolder, writer: Writer, hasher: PasswordHasher, log: Log, identity: ServerIdentity?,
    limits: Limits
  ) {
    self.folder = folder
    self.writer = writer
    self.hasher = hasher
    self.log = log
    self.identity = identity
    self.limits = limits
  }

  /// Has it tell of a server too, which can be there only after its routes.
  func attach(_ server: Server) { attached.withLock { $0.server = server } }

  /// Adds the route.
  ///
  /// - Parameter token: what has to be sent with each request; nil where whoever reaches the route may read it.
  func addRoutes(to router: inout Router, token: String?) {
    let expected = token.map { Self.digest(Array($0.utf8)) }
    router.get("/metrics", isRoutine: true) { [self] request in
      if let expected { try Self.require(expected, from: request) }
      return .now(Response(type: Exposition.type, body: .buffer(exposition().text), caching: .noStore))
    }
  }

  // MARK: Who may read it

  /// - Throws: `Problem` 401 (RFC 6750, section 3).
  private static func require(_ expected: [UInt8], from request: Request) throws(Problem) {
    let challenge = "Bearer realm=\"metrics\""
    guard let token = request.bearerToken else {
      throw Problem(
        .unauthorized, "The metrics are for who sends the header 'Authorization: Bearer' with their token.",
        fields: [Field("WWW-Authenticate", challenge)])
    }
    // As long, and so in the same time, whatever was sent.
    guard sodium_memcmp(digest(token), expected, expected.count) == 0 else {
      throw Problem(
        .unauthorized, "The token is not the one of UNDERSTUDY_METRICS_TOKEN.",
        fields: [Field("WWW-Authenticate", challenge + ", error=\"invalid_token\"")])
    }
  }

  private static func digest(_ token: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    crypto_hash_sha256(&digest, token, UInt64(token.count))
    return digest
  }

  // MARK: What there is

  private func exposition() -> Exposition {
    let exposition = Exposition()
    if let server = attached.withLock({ $0.server }) { Self.append(server.statistics, to: exposition) }
    appendWriter(to: exposition)
    appendPasswords(to: exposition)
    appendStorage(to: exposition)
    appendProgram(to: exposition)
    appendProcess(to: exposition)
    return exposition
  }

  private static func append(_ statistics: ServerStatistics, to exposition: Exposition) {
    func route(_ answers: ServerStatistics.Answers) -> (name: StaticString, value: String) {
      ("route", answers.route ?? "none")
    }
    exposition.counter(
      "understudy_http_requests_total", "Answers by the route's pattern and status.",
      statistics.answers.flatMap { answers in
        answers.statuses.map { status, count in
          ([route(answers), ("status", status == 0 ? "other" : "\(status)")], Double(count))
        }
      })
    exposition.histogram(
      "understudy_http_request_duration_seconds",
      "Time from the request line to the answer's being handed to the network, by the route's pattern.",
      per: 1e9, statistics.answers.filter { $0.durations.count > 0 }.map { ([route($0)], $0.durations) })
    exposition.counter(
      "understudy_http_unreadable_requests_total", "What was refused before it was a request.",
      statistics.unreadable)
    exposition.gauge(
      "understudy_http_requests_in_progress", "Requests that are being received or answered.",
      statistics.active)
    exposition.gauge("understudy_connections", "Connections that are open.", statistics.connections)
    exposition.gauge(
      "understudy_connections_limit", "The most connections at a time.", statistics.limits.connections)
    exposition.counter(
      "understudy_accepted_connections_total", "Connections that there have been.", statistics.allConnections)
    exposition.gauge(
      "understudy_body_bytes_in_flight", "Bytes of bodies in memory.", statistics.bytesInFlight)
    exposition.gauge(
      "understudy_body_bytes_in_flight_limit", "The most bytes of bodies in memory.",
      statistics.limits.bytesInFlight)
  }

  private func appendWriter(to exposition: Exposition) {
    let statistics = writer.statistics
    exposition.gauge("understudy_writer_queue_length", "Changes that wait to be written.", writer.queueLength)
    exposition.gauge("understudy_writer_queue_limit", "The most that may wait.", limits.writerQueue)
    exposition.histogram(
      "understudy_writer_batch_size", "Changes in one transaction.", per: 1, [([], statistics.batches)])
    exposition.histogram(
      "understudy_writer_commit_duration_seconds", "Time until a transaction was on the disk.", per: 1e9,
      [([], statistics.commitTimes)])
    exposition.counter(
      "understudy_writer_disk_failures_total",
      "Changes that failed because of the disk or the database file.", statistics.diskFailures)
  }

  private func appendPasswords(to exposition: Exposition) {
    exposition.gauge(
      "understudy_password_queue_length", "Logins and sign-ups that wait for a hash.", hasher.queueLength)
    exposition.gauge("understudy_password_queue_limit", "The most that may wait.", limits.passwordQueue)
    exposition.histogram(
      "understudy_password_hash_duration_seconds", "Time to hash a password.", per: 1e9,
      [([], hasher.times)])
  }

  private func appendStorage(to exposition: Exposition) {
    for (name, help, path) in [
      ("understudy_database_size_bytes", "Size of the database file.", folder.database),
      (
        "understudy_database_wal_size_bytes", "Size of the write-ahead log beside it.",
        folder.database + "-wal"
      ),
    ] as [(StaticString, StaticString, String)] {
      var status = stat()
      // There is no log where nothing has been written since the start.
      exposition.gauge(name, help, stat(path, &status) == 0 ? Int(status.st_size) : 0)
    }
    if let space = DiskSpace(at: folder.path) {
      exposition.gauge("understudy_disk_free_bytes", "What the data folder's disk has left.", space.free)
    }
    exposition.gauge(
      "understudy_disk_threshold_bytes", "What it has to have left for the server to be ready.",
      limits.diskThreshold)
  }

  private func appendProgram(to exposition: Exposition) {
    if let identity {
      exposition.gauge(
        "understudy_certificate_end_timestamp_seconds", "When the certificate of the HTTPS ports ends.",
        Double(identity.current.value.certificate.end))
    }
    exposition.counter(
      "understudy_log_dropped_lines_total", "Lines that found no room in the log's queue.", log.droppedLines)
    exposition.gauge(
      "understudy_uptime_seconds", "Time since the start.",
      Double(MonotonicClock.now - start.monotonic) / 1e9)
    let versions = Dictionary(uniqueKeysWithValues: Libraries.all)
    exposition.gauge(
      "understudy_build_info", "Always 1; the labels are the versions of the program and its libraries.", 1,
      [
        ("version", Application.version), ("libmicrohttpd", versions["libmicrohttpd"] ?? ""),
        ("sqlite", versions["SQLite"] ?? ""), ("libsodium", versions["libsodium"] ?? ""),
        ("gnutls", versions["GnuTLS"] ?? ""),
      ])
  }

  private func appendProcess(to exposition: Exposition) {
    let usage = ProcessUsage()
    exposition.gauge(
      "process_start_time_seconds", "When the process began, in seconds since 1970.", Double(start.wall))
    exposition.counter(
      "process_cpu_seconds_total", "Processor time, of the program and of the system for it.",
      [([], usage.processorSeconds)])
    if let (resident, virtual) = usage.memory {
      exposition.gauge("process_resident_memory_bytes", "Memory that is really there.", resident)
      exposition.gauge("process_virtual_memory_bytes", "Addresses that are in use.", virtual)
    }
    if let open = usage.openDescriptors {
      exposition.gauge("process_open_fds", "File descriptors that are open.", open)
    }
    if let most = usage.mostDescriptors {
      exposition.gauge("process_max_fds", "The most that may be open.", most)
    }
  }
}
