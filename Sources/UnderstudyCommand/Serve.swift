import Threads
import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Command {
  static let serve = Command(
    name: "serve",
    summary: "Serves both apps until it is told to end (SIGTERM, Ctrl-C, or SIGHUP without --tls-cert).",
    options: settings.map(\.option),
    run: { arguments throws(UsageError) in
      MisspeltVariables.complain()
      var options = Application.Options()
      options.logFormat = isatty(STDERR_FILENO) == 1 ? .text : .json
      for setting in settings { try setting.apply(arguments, &options) }
      guard (options.tlsCertificate == nil) == (options.tlsKey == nil) else {
        throw UsageError("--tls-cert and --tls-key go together")
      }
      guard options.tlsCertificate == nil || !options.httpsPorts.isEmpty else {
        throw UsageError("--tls-cert is of no use without --https")
      }
      guard options.backupPeriod == nil || options.dataFolder != nil else {
        throw UsageError("--backup-every is of no use with --ephemeral: the backups would go with the data")
      }
      if options.httpsPorts.isEmpty, !options.names.isEmpty {
        complain("without --https, --name only has /connect say that new phones don't find the name")
      }
      return serve(options)
    })

  /// Fewer than these would all be in use by one browser, and one in sixteen is kept free.
  static let leastConnections = 16

  private static func serve(_ options: Application.Options) -> Int32 {
    // Before the first thread, so that none but this one is ever told.
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    signal(SIGPIPE, SIG_IGN)
    var options = options
    guard allowDescriptors(for: &options) else { return failure }
    do {
      let application = try Application(options)
      for url in application.httpsURLs + application.urls { print("listening on \(url)") }
      recommendPublicURL(application, options)
      for address in application.uncertifiedAddresses {
        print(
          "https is not for \(address), a public address: --name \(address) has the certificate be for it too"
        )
      }
      fflush(nil)
      while waitForSignal(&signals) == SIGHUP, application.canRereadCertificate {
        application.rereadCertificate()
      }
      _ = try Thread {
        application.stop()
        application.removeTemporaryData()
        exit(with: success)
      }
      // A second signal ends it at once.
      let second = waitForSignal(&signals)
      application.removeTemporaryData()
      return 128 + second
    } catch {
      complain("\(error)")
      return failure
    }
  }

  /// Says how phones get URLs that stay right, to whom it matters: whoever serves others than this machine.
  private static func recommendPublicURL(_ application: Application, _ options: Application.Options) {
    guard options.publicURL == nil, !application.isLocal,
      let url = Application.lastingURL(
        names: application.httpsPorts.isEmpty ? [] : options.names.map(\.description),
        httpsPort: application.httpsPorts.first.map(options.publishedPorts.outside) ?? 443,
        // A container's name is known to nobody outside.
        machine: options.publishedPorts.isEmpty ? Application.machineName : "", port: application.port)
    else { return }
    print("phones keep image URLs for ever; for ones that stay right: --public-url \(url)")
  }

  private static func waitForSignal(_ signals: inout sigset_t) -> Int32 {
    var number: Int32 = 0
    sigwait(&signals, &number)
    return number
  }

  /// Raises the limit of open files as far as it goes, and takes no more connections than it has
  /// room for.
  ///
  /// - Returns: false, and says so, where there is room for too few.
  private static func allowDescriptors(for options: inout Application.Options) -> Bool {
    var limit = rlimit()
    #if canImport(Darwin)
      let resource = RLIMIT_NOFILE
    #else
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    guard getrlimit(resource, &limit) == 0 else { return true }
    // Photographs, the database and the log need some too.
    let spare: rlim_t = 128
    let wanted = rlim_t(options.server.limits.connections) + spare
    if limit.rlim_cur < wanted {
      limit.rlim_cur = min(wanted, limit.rlim_max)
      setrlimit(resource, &limit)
      getrlimit(resource, &limit)
    }
    guard limit.rlim_cur < wanted else { return true }
    let room = Int(limit.rlim_cur) - Int(spare)
    guard room >= leastConnections else {
      complain(
        "\(limit.rlim_cur) open files are allowed, and \(Int(spare) + leastConnections) are needed at least: raise the limit (ulimit -n)"
      )
      return false
    }
    options.server.limits.connections = room
    complain("\(limit.rlim_cur) open files are allowed: \(room) connections at a time")
    return true
  }
}
