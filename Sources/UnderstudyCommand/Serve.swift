import HTTP
import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Command {
  static let serve = Command(
    name: "serve",
    summary: "Serves both apps until it is told to end (SIGTERM, or Ctrl-C).",
    options: [
      Option("host", "ADDRESS", "Where to listen; by default on all interfaces, IPv6 and IPv4."),
      Option("port", "NUMBER", "The port; 8080 by default, 0 for a free one."),
      Option("data", "FOLDER", "The data folder, made where there is none; ./data by default."),
      Option("ephemeral", nil, "Keeps the data in a temporary folder that is removed at the end."),
      Option(
        "public-url", "URL", "What absolute URLs begin with; by default what each request was sent to."),
      Option(
        "trust-proxy", "CIDR,…", "Addresses whose X-Forwarded-For, -Host and -Proto count; none by default."),
      Option("log-level", "LEVEL", "error, warning, info or debug; info by default."),
      Option("log-format", "FORMAT", "text or json; by default text on a terminal and json elsewhere."),
      Option("max-body", "BYTES", "The longest body of a request; 1048576 by default."),
      Option("max-connections", "NUMBER", "The most connections at a time; 4096 by default."),
      Option(
        "header-memory", "BYTES",
        "The memory of a connection for request line and header; 8192 by default."),
      Option("request-timeout", "SECONDS", "How long a request may take to arrive; 30 by default."),
      Option("idle-timeout", "SECONDS", "How long an idle connection is kept; 75 by default."),
      Option("max-in-flight", "BYTES", "The bytes of bodies in memory at a time; 134217728 by default."),
      Option("write-queue", "NUMBER", "How many changes may wait to be written; 4096 by default."),
      Option("password-queue", "NUMBER", "How many logins and sign-ups may wait; 256 by default."),
      Option(
        "login-tries", "NUMBER",
        "Wrong passwords in a row, from one address, before a name waits; 10 by default."),
      Option("login-tries-anywhere", "NUMBER", "The same from all addresses together; 100 by default."),
      Option("login-wait", "SECONDS", "The longest that a name waits; 60 by default."),
      Option("drain-timeout", "SECONDS", "How long requests under way may take at the end; 10 by default."),
    ],
    run: { arguments throws(UsageError) in serve(try options(of: arguments)) })

  private static func options(of arguments: Arguments) throws(UsageError) -> Application.Options {
    var options = Application.Options()
    options.host = arguments["host"]
    set(&options.port, try arguments.number("port", in: 0...65_535).map(UInt16.init))
    set(&options.dataFolder, arguments["data"])
    if try arguments.isOn("ephemeral") { options.dataFolder = nil }
    options.publicURL = try publicURL(arguments)
    options.server.trustedProxies = try trustedProxies(arguments)
    set(&options.logLevel, try arguments.choice("log-level", of: Log.Level.allCases.map { ("\($0)", $0) }))
    options.logFormat =
      try arguments.choice("log-format", of: [("text", .text), ("json", .json)])
      ?? (isatty(STDERR_FILENO) == 1 ? .text : .json)
    set(&options.server.limits.body, try arguments.number("max-body", in: 1...(1 << 30)))
    set(&options.server.limits.connections, try arguments.number("max-connections", in: 1...1_000_000))
    set(&options.server.limits.connectionMemory, try arguments.number("header-memory", in: 2048...(1 << 20)))
    set(&options.server.limits.requestSeconds, try arguments.number("request-timeout", in: 1...86_400))
    set(&options.server.limits.idleSeconds, try arguments.number("idle-timeout", in: 1...86_400))
    set(
      &options.server.limits.bytesInFlight, try arguments.number("max-in-flight", in: (1 << 20)...(1 << 40)))
    set(&options.writerQueue, try arguments.number("write-queue", in: 1...1_000_000))
    set(&options.passwordQueue, try arguments.number("password-queue", in: 1...1_000_000))
    set(&options.loginTries, try arguments.number("login-tries", in: 1...1_000_000))
    set(&options.loginTriesFromAnywhere, try arguments.number("login-tries-anywhere", in: 1...1_000_000))
    set(&options.loginLongestWait, try arguments.number("login-wait", in: 1...86_400))
    set(&options.drainSeconds, try arguments.number("drain-timeout", in: 0...86_400).map(Double.init))
    return options
  }

  private static func set<Value>(_ option: inout Value, _ value: Value?) {
    if let value { option = value }
  }

  private static func set<Value>(_ option: inout Value?, _ value: Value?) {
    if let value { option = value }
  }

  private static func publicURL(_ arguments: Arguments) throws(UsageError) -> String? {
    guard var url = arguments["public-url"] else { return nil }
    while url.hasSuffix("/") { url.removeLast() }
    guard Application.isOrigin(url) else {
      throw arguments.refused(
        "public-url", url,
        expected: "http:// or https:// with a host and perhaps a port, and nothing behind it")
    }
    return url
  }

  private static func trustedProxies(_ arguments: Arguments) throws(UsageError) -> [AddressRange] {
    guard let text = arguments["trust-proxy"] else { return [] }
    var ranges: [AddressRange] = []
    for part in text.split(separator: ",") {
      guard let range = AddressRange(String(part.filter { $0 != " " })) else {
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
    allowDescriptors(for: &options)
    do throws(Application.StartError) {
      let application = try Application(options)
      for url in application.urls { print("listening on \(url)") }
      fflush(nil)
      waitForSignal(&signals)
      // A second signal ends it at once.
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      application.stop()
      return success
    } catch {
      complain(error.description)
      return failure
    }
  }

  private static func waitForSignal(_ signals: inout sigset_t) {
    var number: Int32 = 0
    sigwait(&signals, &number)
  }

  /// Raises the limit of open files as far as it goes, and takes no more connections than it has
  /// room for.
  private static func allowDescriptors(for options: inout Application.Options) {
    var limit = rlimit()
    #if canImport(Darwin)
      let resource = RLIMIT_NOFILE
    #else
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    guard getrlimit(resource, &limit) == 0 else { return }
    // Pictures, the database and the log need some too.
    let spare: rlim_t = 128
    let wanted = rlim_t(options.server.limits.connections) + spare
    if limit.rlim_cur < wanted {
      limit.rlim_cur = min(wanted, limit.rlim_max)
      setrlimit(resource, &limit)
      getrlimit(resource, &limit)
    }
    guard limit.rlim_cur < wanted else { return }
    options.server.limits.connections = max(1, Int(limit.rlim_cur) - Int(spare))
    complain(
      "\(limit.rlim_cur) open files are allowed: \(options.server.limits.connections) connections at a time")
  }
}
