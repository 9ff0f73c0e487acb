import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A command of the program. What the program can do stands in these tables alone: the parsing, the
/// environment and every help text are made of them.
struct Command: Sendable {
  /// A word, or two where the first stands for several commands: `users list`.
  let name: String
  let summary: String
  let options: [Option]
  /// What it takes beside options.
  var operand: Operand?
  /// Does it; gives the exit status.
  let run: @Sendable (Arguments) throws(UsageError) -> Int32

  static let all =
    [serve, health, backup, restore, certificate, hosts, doctor] + users + imports + exports + [mirror]

  /// - Returns: the command that the arguments begin with, and those behind its name.
  private static func find(in arguments: [String]) throws(UsageError) -> (Command, rest: [String]) {
    for count in [2, 1] where arguments.count >= count {
      let name = arguments.prefix(count).joined(separator: " ")
      if let command = all.first(where: { $0.name == name }) {
        return (command, Array(arguments.dropFirst(count)))
      }
    }
    let first = arguments.first ?? ""
    let group = group(first).map(\.name)
    guard !group.isEmpty else { throw UsageError("there is no command '\(first)'") }
    guard arguments.count > 1, !arguments[1].hasPrefix("-") else {
      throw UsageError("say which: \(group.joined(separator: ", "))")
    }
    throw UsageError("there is no command '\(first) \(arguments[1])'")
  }

  /// The commands whose first word, of two, is `word`.
  private static func group(_ word: String) -> [Command] { all.filter { $0.name.hasPrefix(word + " ") } }

  /// Exit statuses: done; it couldn't be done; it was asked for in a way that makes no sense.
  static let success: Int32 = 0
  static let failure: Int32 = 1
  static let usage: Int32 = 2

  /// Does what a command line asks for.
  ///
  /// - Returns: the exit status: success where all that it had to say is written too.
  static func run(_ arguments: [String]) -> Int32 { Output.end(perform(arguments)) }

  private static func perform(_ arguments: [String]) -> Int32 {
    do throws(UsageError) {
      switch arguments.first {
      case nil: throw UsageError("say what to do")
      case "--version", "version": print("understudy \(versionAndCommit)")
      case "help" where Array(arguments.dropFirst()) == ["--manual"]: print(ManualPage.text, terminator: "")
      case "help", "--help", "-h": print(try help(Array(arguments.dropFirst())), terminator: "")
      case let name?:
        let asksForHelp = arguments.contains("--help") || arguments.contains("-h")
        if asksForHelp, arguments[1].hasPrefix("-"), !group(name).isEmpty {
          print(try help([name]), terminator: "")
          return success
        }
        let (command, rest) = try find(in: arguments)
        if asksForHelp {
          print(command.help, terminator: "")
        } else {
          return try command.run(try Arguments(rest, options: command.options, operand: command.operand))
        }
      }
      return success
    } catch {
      let name =
        (try? find(in: arguments))?.0.name ?? (group(arguments.first ?? "").isEmpty ? nil : arguments[0])
      complain("\(error.reason); 'understudy \(name.map { "\($0) --help" } ?? "help")' says what there is")
      return usage
    }
  }

  /// Writes a line about what went wrong.
  static func complain(_ reason: String) {
    let line = Array("understudy: \(reason)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }

  /// `0.1.0 (4f018c6)`
  private static var versionAndCommit: String {
    Application.version + (Application.commit.map { " (\($0))" } ?? "")
  }

  // MARK: Help

  private static func help(_ names: [String]) throws(UsageError) -> String {
    guard let name = names.first else { return overview }
    let group = group(name)
    guard group.isEmpty || names.count > 1 else {
      return """
        usage: understudy \(name) COMMAND [OPTION ...]

        \(table(group.map { ($0.synopsis, $0.summary) }))
        """
    }
    return try find(in: names).0.help
  }

  private static var overview: String {
    let commands =
      all.map { ($0.synopsis, $0.summary) } + [("help [COMMAND]", "Says what a command does and takes.")]
    return """
      understudy \(Application.version): a server that stands in for cmsc106.net.

      usage: understudy COMMAND [OPTION ...]
             understudy --version

      \(table(commands))
      'understudy COMMAND --help' lists a command's options. Most are environment variables too, whose
      names it says; the option wins.

      """
  }

  /// The name, and what stands behind it.
  var synopsis: String { ([name] + (operand.map { [$0.usage] } ?? [])).joined(separator: " ") }

  private var help: String {
    let operands = operand.map { [($0.usage, $0.help)] } ?? []
    return """
      usage: understudy \(synopsis) [OPTION ...]

      \(summary)

      \(Self.table(operands + options.map { ($0.usage, $0.description) }))
      """
  }

  private static func table(_ rows: [(String, String)]) -> String {
    let width = (rows.map(\.0.count).max() ?? 0) + 2
    return rows.map { name, text in
      "  " + name + String(repeating: " ", count: width - name.count)
        + wrap(text, indent: width + 2) + "\n"
    }.joined()
  }

  /// Breaks a text into lines of at most 100 characters.
  private static func wrap(_ text: String, indent: Int) -> String {
    var lines = [""]
    for word in text.split(separator: " ") {
      if !lines[lines.count - 1].isEmpty, lines[lines.count - 1].count + word.count + 1 > 100 - indent {
        lines.append("")
      }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
    }
    return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
  }
}

/// Ends the program, whatever its threads are doing.
func exit(with status: Int32) -> Never {
  fflush(nil)
  exit(status)
}
