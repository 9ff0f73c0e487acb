import Certificates

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Why a command line or an environment variable makes no sense.
struct UsageError: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}

/// An option of a command, and the environment variable that stands in for it.
struct Option: Sendable {
  /// As it is typed, without the dashes: `log-level`.
  let name: String
  /// What stands for the value in the help; nil for a switch.
  let value: String?
  let help: String
  /// What stands without it, in words; nil for a switch.
  let standard: String?
  /// Whether it may be there several times: the values are then put together, with commas between them.
  let isList: Bool
  /// The environment variable, `UNDERSTUDY_LOG_LEVEL`; nil for what is to be done once and not always.
  let variable: String?

  init(
    _ name: String, _ value: String?, _ help: String, standard: String?, isList: Bool = false,
    variable: String? = nil
  ) {
    self.name = name
    self.value = value
    self.help = help
    self.standard = standard
    self.isList = isList
    self.variable =
      variable ?? "UNDERSTUDY_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }

  private init(unset name: String, value: String?, help: String) {
    self.name = name
    self.value = value
    self.help = help
    standard = nil
    isList = false
    variable = nil
  }

  /// A switch for what is to be done once: nothing in the environment stands in for it.
  static func action(_ name: String, _ help: String) -> Option { Option(unset: name, value: nil, help: help) }

  /// A value for what is to be done once: nothing in the environment stands in for it.
  static func value(_ name: String, _ value: String, _ help: String) -> Option {
    Option(unset: name, value: value, help: help)
  }

  /// The whole of what the help says.
  var description: String {
    help + (standard.map { " Default: \($0)." } ?? "") + (variable.map { " [\($0)]" } ?? "")
  }

  var usage: String { "--\(name)" + (value.map { " \($0)" } ?? "") }
}

/// What a command takes without a name, a file say.
struct Operand: Sendable {
  /// How many of them there may be.
  enum Count: Sendable {
    case one, oneAtMost, two, several
  }

  /// What stands for it in the help: `FILE`.
  let name: String
  let help: String
  var count = Count.one

  init(_ name: String, _ help: String, count: Count = .one) {
    self.name = name
    self.help = help
    self.count = count
  }

  var usage: String {
    switch count {
    case .one, .two: name
    case .oneAtMost: "[\(name)]"
    case .several: "\(name) …"
    }
  }
}

/// The options of a command line with their values; an option that isn't there has the value of its
/// environment variable, if that is set and not empty.
struct Arguments: Sendable {
  private var values: [String: String] = [:]
  private var sources: [String: String] = [:]
  /// What stands there without an option's name, in its order.
  private(set) var operands: [String] = []

  /// - Parameter operand: what may stand there without an option's name.
  /// - Throws: `UsageError` for an option that there isn't, a value or operand that is missing or one too many.
  init(_ arguments: [String], options: [Option], operand: Operand? = nil) throws(UsageError) {
    for option in options {
      guard let variable = option.variable, let value = getenv(variable).map({ String(cString: $0) }),
        !value.isEmpty
      else { continue }
      values[option.name] = value
      sources[option.name] = variable
    }
    var rest = arguments[...]
    var seen: Set<String> = []
    var onlyOperandsFollow = false
    while let argument = rest.popFirst() {
      if operand != nil, argument == "--", !onlyOperandsFollow {
        onlyOperandsFollow = true
        continue
      }
      // A dash alone stands for standard input, or output.
      if operand != nil, onlyOperandsFollow || argument == "-" || !argument.hasPrefix("-") {
        operands.append(argument)
        continue
      }
      guard argument.hasPrefix("--") else { throw UsageError("'\(argument)' is not an option") }
      let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = options.first(where: { $0.name == parts[0] }) else {
        throw UsageError("there is no option '--\(parts[0])'")
      }
      let isFirst = seen.insert(option.name).inserted
      guard isFirst || option.isList else { throw UsageError("--\(option.name) is there twice") }
      sources[option.name] = "--\(option.name)"
      if option.value != nil {
        guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
          throw UsageError("--\(option.name) needs a value: \(option.usage)")
        }
        guard !value.isEmpty else { throw UsageError("--\(option.name) needs a value: \(option.usage)") }
        values[option.name] = isFirst ? value : values[option.name, default: ""] + "," + value
      } else {
        guard parts.count == 1 else { throw UsageError("--\(option.name) takes no value") }
        values[option.name] = "true"
      }
    }
    guard let operand else { return }
    guard !operands.isEmpty || operand.count == .oneAtMost else {
      throw UsageError("\(operand.name) is missing: \(operand.help)")
    }
    let most = operand.count == .several ? Int.max : operand.count == .two ? 2 : 1
    guard operands.count <= most else {
      throw UsageError("'\(operands[most])' is one too many: \(operand.usage) is all that is expected")
    }
    guard operand.count != .two || operands.count == 2 else {
      throw UsageError("one is missing of \(operand.name): \(operand.help)")
    }
    guard !operands.contains("") else { throw UsageError("\(operand.name) is empty: \(operand.help)") }
  }

  /// The text of an option.
  subscript(name: String) -> String? { values[name] }

  /// Whether a switch is on.
  func isOn(_ name: String) throws(UsageError) -> Bool {
    switch values[name] {
    case nil, "false", "0", "no": return false
    case "true", "1", "yes": return true
    case let value?: throw refused(name, value, expected: "true or false")
    }
  }

  /// The number of an option.
  func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let value = values[name] else { return nil }
    guard let number = Int(value), range.contains(number) else {
      throw refused(name, value, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// The parts of a list.
  func list<Element>(
    _ name: String, expected: String, _ read: (String) -> Element?
  ) throws(UsageError) -> [Element]? {
    guard let value = values[name] else { return nil }
    var elements: [Element] = []
    for part in value.split(separator: ",", omittingEmptySubsequences: false) {
      let text = part.trimmed
      guard let element = read(text) else { throw refused(name, text, expected: expected) }
      elements.append(element)
    }
    return elements
  }

  /// The error for a value that makes no sense.
  func refused(_ name: String, _ value: String, expected: String) -> UsageError {
    UsageError("\(sources[name] ?? name) is '\(value)': expected \(expected)")
  }
}

extension SubjectName {
  /// What `standIn` takes, in words.
  static let standIns =
    "host names or addresses: names have a dot, as cmsc106.net, and letters of other alphabets written as xn--…"

  /// What a server can stand in for, as it is typed. One word alone may be all of a country's names, or of the
  /// world's, as com, and an authority could vouch for each of them.
  static func standIn(_ text: String) -> SubjectName? {
    guard let name = SubjectName(text) else { return nil }
    if case .host(let host) = name, host != "localhost", !host.contains(".") { return nil }
    return name
  }
}

extension Substring {
  /// Without spaces at its ends, as a part of a list may have them: one inside it is no space between parts.
  var trimmed: String {
    guard let first = firstIndex(where: { $0 != " " }), let last = lastIndex(where: { $0 != " " }) else {
      return ""
    }
    return String(self[first...last])
  }
}
