#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A name with the moment in it, in UTC, whose order is the order of time: `understudy-2026-06-01T12-34-56Z.sqlite`.
/// Without colons, which not every disk takes.
struct DatedName: Comparable {
  /// Seconds since 1970.
  let time: Int
  /// Which one it is of those of a second.
  let number: Int

  static let prefix = "understudy-"
  static let suffix = ".sqlite"

  /// - Parameter time: seconds since 1970.
  init(time: Int, number: Int = 1) {
    self.time = time
    self.number = number
  }

  /// Reads a file's name; nil where it is none of these.
  init?(_ name: String) {
    guard name.hasPrefix(Self.prefix), name.hasSuffix(Self.suffix) else { return nil }
    let middle = name.dropFirst(Self.prefix.count).dropLast(Self.suffix.count)
    guard middle.count >= 20, let time = Self.time(of: middle.prefix(20)) else { return nil }
    let rest = middle.dropFirst(20)
    guard let number = rest.isEmpty ? 1 : rest.first == "-" ? Int(rest.dropFirst()) : nil, number > 0 else {
      return nil
    }
    self.init(time: time, number: number)
    // What would be written otherwise isn't one of ours.
    guard description == name else { return nil }
  }

  /// The file's name.
  var description: String {
    "\(Self.prefix)\(Self.moment(time))\(number > 1 ? "-\(number)" : "")\(Self.suffix)"
  }

  static func < (one: DatedName, other: DatedName) -> Bool {
    (one.time, one.number) < (other.time, other.number)
  }

  /// `2026-06-01T12-34-56Z`
  static func moment(_ time: Int) -> String {
    var seconds = time
    var calendar = tm()
    gmtime_r(&seconds, &calendar)
    func digits(_ number: Int32, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    return digits(calendar.tm_year + 1900, 4) + "-" + digits(calendar.tm_mon + 1, 2) + "-"
      + digits(calendar.tm_mday, 2) + "T" + digits(calendar.tm_hour, 2) + "-" + digits(calendar.tm_min, 2)
      + "-"
      + digits(calendar.tm_sec, 2) + "Z"
  }

  private static func time(of moment: Substring) -> Int? {
    let parts = moment.split { "-TZ".contains($0) }.map { Int32($0) }
    guard parts.count == 6, let year = parts[0], let month = parts[1], let day = parts[2],
      let hour = parts[3],
      let minute = parts[4], let second = parts[5]
    else { return nil }
    var calendar = tm()
    (calendar.tm_year, calendar.tm_mon, calendar.tm_mday) = (year - 1900, month - 1, day)
    (calendar.tm_hour, calendar.tm_min, calendar.tm_sec) = (hour, minute, second)
    return timegm(&calendar)
  }
}
