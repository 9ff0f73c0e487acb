import Certificates
import HTTP
import Threads
import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An option of `serve`: how it is typed, what it sets, and what stands there without it.
private struct Setting: Sendable {
  typealias Path<Value> = any WritableKeyPath<Application.Options, Value> & Sendable

  let option: Option
  let apply: @Sendable (Arguments, inout Application.Options) throws(UsageError) -> Void

  private init(
    _ option: Option,
    apply: @escaping @Sendable (Arguments, inout Application.Options) throws(UsageError) -> Void
  ) {
    self.option = option
    self.apply = apply
  }

  /// A whole number.
  static func number<Value: FixedWidthInteger & Sendable>(
    _ name: String, _ unit: String, in range: ClosedRange<Int>, _ help: String, _ path: Path<Value>
  ) -> Setting {
    let standard = "\(Application.Options()[keyPath: path])"
    return Setting(Option(name, unit, help, standard: standard)) { arguments, options throws(UsageError) in
      guard let number = try arguments.number(name, in: range) else { return }
      options[keyPath: path] = Value(truncatingIfNeeded: number)
    }
  }

  /// A text, and the function that makes of it what is set.
  ///
  /// - Parameter standard: what stands without it, in words.
  static func text<Value>(
    _ name: String, _ placeholder: String, _ help: String, standard: String, _ path: Path<Value>,
    _ read: @escaping @Sendable (String, Arguments) throws(UsageError) -> Value
  ) -> Setting {
    Setting(Option(name, placeholder, help, standard: standard)) { arguments, options throws(UsageError) in
      guard let text = arguments[name] else { return }
      options[keyPath: path] = try read(text, arguments)
    }
  }

  /// A list, whose option may be there several times.
  ///
  /// - Parameters:
  ///   - expected: what each part has to be, in words.
  ///   - variable: the environment variable, where it isn't the option's name.
  static func list<Element>(
    _ name: String, _ placeholder: String, _ help: String, variable: String? = nil, expected: String,
    _ path: Path<[Element]>, _ read: @escaping @Sendable (String) -> Element?
  ) -> Setting {
    Setting(
      Option(name, placeholder, help, standard: "none", isList: true, variable: variable)
    ) { arguments, options throws(UsageError) in
      guard let list = try arguments.list(name, expected: expected, read) else { return }
      options[keyPath: path] = list
    }
  }

  static func toggle(
    _ name: String, _ help: String, _ apply: @escaping @Sendable (inout Application.Options) -> Void
  ) -> Setting {
    Setting(Option(name, nil, help, standard: nil)) { arguments, options throws(UsageError) in
      if try arguments.isOn(name) { apply(&options) }
    }
  }
}

extension Command {
  static let serve = Command(
    name: "serve",
    summary: "Serves both apps until it is told to end (SIGTERM, Ctrl-C, or SIGHUP without --tls-cert).",
    options: settings.map(\.option),
    run: { arguments throws(UsageError) in
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
  private static let leastConnections = 16

  private static let settings: [Setting] = [
    .text(
      "host", "ADDRESS", "Where to listen.", standard: "all interfaces, IPv6 and IPv4", \.host, asTyped),
    .number("port", "NUMBER", in: 0...65_535, "The port; 0 finds a free one.", \.port),
    .list(
      "https", "PORT,…", "Ports for HTTPS beside it; 0 finds a free one.",
      expected: "whole numbers from 0 to 65535", \.httpsPorts, { UInt16($0) }),
    .list(
      "published", "PORT:PORT,…",
      "Under which ports others reach it, where a container's are published under other numbers: 443:8443.",
      expected: "two ports, as 443:8443", \.publishedPorts, { PublishedPort($0) }),
    .list(
      "name", "NAME,…", "Names and addresses that it stands in for, as cmsc106.net.",
      variable: "UNDERSTUDY_NAMES", expected: SubjectName.standIns, \.names, { SubjectName.standIn($0) }),
    .text(
      "tls-cert", "FILE",
      "A certificate of one's own for HTTPS, PEM, with those that lead to its authority behind it; SIGHUP then has it read again.",
      standard: "one of the authority in the data folder, which is made there", \.tlsCertificate, asTyped),
    .text("tls-key", "FILE", "The key of that certificate, PEM.", standard: "none", \.tlsKey, asTyped),
    .text(
      "data", "FOLDER", "The data folder; it is made where there is none.", standard: "./data", \.dataFolder,
      asTyped),
    .toggle("ephemeral", "Keeps the data in a temporary folder that is removed at the end.") {
      $0.dataFolder = nil
    },
    .text(
      "public-url", "URL", "What absolute URLs begin with.", standard: "what each request was sent to",
      \.publicURL, publicURL),
    .text(
      "trust-proxy", "CIDR,…", "Proxies whose X-Forwarded-For, -Host and -Proto count.", standard: "none",
      \.server.trustedProxies, trustedProxies),
    .text(
      "metrics-token", "TOKEN",
      "What Prometheus has to send to read GET /metrics. Set the variable: others see a command line.",
      standard: "none, and no /metrics", \.metricsToken, metricsToken),
    .text("log-level", "LEVEL", "error, warning, info or debug.", standard: "info", \.logLevel, logLevel),
    .text(
      "log-format", "FORMAT", "text or json.", standard: "text on a terminal, json elsewhere", \.logFormat,
      logFormat),
    .number(
      "log-queue", "LINES", in: 1...10_000_000, "How much of the log may wait to be written.", \.logQueue),
    .number("max-body", "BYTES", in: 1...(1 << 30), "The longest body of a request.", \.server.limits.body),
    .number(
      "max-connections", "NUMBER", in: leastConnections...1_000_000, "The most connections at a time.",
      \.server.limits.connections),
    .number(
      "header-memory", "BYTES", in: 4096...(1 << 20),
      "The memory of a connection for request line and headers, and 2048 bytes of the answer's.",
      \.server.limits.connectionMemory),
    .number(
      "request-timeout", "SECONDS", in: 1...86_400, "How long a request may take to arrive.",
      \.server.limits.requestSeconds),
    .number(
      "idle-timeout", "SECONDS", in: 1...86_400, "How long an idle connection is kept.",
      \.server.limits.idleSeconds),
    .number(
      "max-in-flight", "BYTES", in: (1 << 20)...(1 << 40), "The most bytes of bodies in memory at a time.",
      \.server.limits.bytesInFlight),
    .number(
      "write-queue", "NUMBER", in: 1...1_000_000, "How many changes may wait to be written.", \.writerQueue),
    .number(
      "disk-threshold", "BYTES", in: 0...(1 << 50),
      "What the data folder's disk has to have left for GET /readyz to be answered 200.", \.diskThreshold),
    .number(
      "idempotency-keys", "NUMBER", in: 1...100_000_000,
      "How many requests with an Idempotency-Key are remembered, for a day at most.", \.idempotencyKeys),
    .number(
      "people-cache", "BYTES", in: 0...(1 << 40), "How many bytes of lists of people are kept ready.",
      \.peopleCache),
    .number(
      "password-queue", "NUMBER", in: 1...1_000_000, "How many logins and sign-ups may wait.", \.passwordQueue
    ),
    .number(
      "login-tries", "NUMBER", in: 1...1_000_000,
      "Wrong passwords in a row, from one address, before a name has to wait.", \.loginTries),
    .number(
      "login-tries-anywhere", "NUMBER", in: 1...1_000_000, "The same from all addresses together.",
      \.loginTriesFromAnywhere),
    .number(
      "login-wait", "SECONDS", in: 1...86_400, "The longest that a name has to wait.", \.loginLongestWait),
    .text(
      "backup-every", "TIME",
      "Makes a backup in the folder backups of the data folder every so often, as 6h, 30m or 1d.",
      standard: "none", \.backupPeriod, duration),
    .number(
      "backup-keep", "NUMBER", in: 1...100_000, "How many of those backups are kept.", \.backupsKept),
    .number(
      "drain-timeout", "SECONDS", in: 0...86_400, "How long requests under way may take at the end.",
      \.drainSeconds),
  ]

  /// Some of the options, for a command that is about what a server would find.
  static func serveOptions(_ names: [String]) -> [Option] {
    settings.map(\.option).filter { names.contains($0.name) }
  }

  /// What some of the options say.
  static func serveOptions(
    _ names: [String], of arguments: Arguments
  ) throws(UsageError) -> Application.Options {
    var options = Application.Options()
    for setting in settings where names.contains(setting.option.name) {
      try setting.apply(arguments, &options)
    }
    return options
  }

  private static func asTyped(_ text: String, _ arguments: Arguments) -> String? { text }

  private static func metricsToken(_ text: String, _ arguments: Arguments) throws(UsageError) -> String? {
    if text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return text }
    throw arguments.refused("metrics-token", "…", expected: "letters, digits and punctuation, without spaces")
  }

  private static func duration(_ text: String, _ arguments: Arguments) throws(UsageError) -> Int? {
    let seconds: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    if let unit = text.last.flatMap({ seconds[$0] }), let number = Int(text.dropLast()),
      (1...366 * 86_400 / unit).contains(number)
    {
      return number * unit
    }
    throw arguments.refused(
      "backup-every", text, expected: "a number with s, m, h or d behind it, as 6h, and at most a year")
  }

  private static func logLevel(_ text: String, _ arguments: Arguments) throws(UsageError) -> Log.Level {
    if let level = Log.Level(text) { return level }
    throw arguments.refused("log-level", text, expected: "error, warning, info or debug")
  }

  private static func logFormat(_ text: String, _ arguments: Arguments) throws(UsageError) -> Log.Format {
    if let format = Log.Format(rawValue: text) { return format }
    throw arguments.refused("log-format", text, expected: "text or json")
  }

  private static func publicURL(_ text: String, _ arguments: Arguments) throws(UsageError) -> String? {
    var url = text
    while url.hasSuffix("/") { url.removeLast() }
    guard Application.isOrigin(url) else {
      throw arguments.refused(
        "public-url", text,
        expected: "http:// or https:// with a host and perhaps a port, and nothing behind it")
    }
    return url
  }

  private static func trustedProxies(
    _ text: String, _ arguments: Arguments
  ) throws(UsageError) -> [AddressRange] {
    var ranges: [AddressRange] = []
    for part in text.split(separator: ",") {
      guard let range = AddressRange(part.trimmed) else {
        throw arguments.refused("trust-proxy", String(part), expected: "addresses, or ranges like 10.0.0.0/8")
      }
      ranges.append(range)
    }
    return ranges
  }

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
