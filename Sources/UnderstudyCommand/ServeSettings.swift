import Certificates
import HTTP
import Understudy

extension Command {
  /// What `serve` can be told.
  static let settings: [Setting] = [
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
      "log-queue", "LINES", in: 1...10_000_000,
      "How much of the log each thread may have waiting to be written.", \.logQueue),
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
}
