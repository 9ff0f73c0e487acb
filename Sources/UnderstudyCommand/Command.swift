import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A command of the program. What the program can do stands in these tables alone: the parsing, the
/// environment and every help text are made of them.
struct Command: Sendable {
  let name: String
  let summary: String
  var operands: [Operand] = []
  let options: [Option]
  /// Does it; gives the exit status.
  let run: @Sendable (Arguments) throws(UsageError) -> Int32

  static let all = [serve, certificate, hosts]

  /// Exit statuses: done; it couldn't be done; it was asked for in a way that makes no sense.
  static let success: Int32 = 0
  static let failure: Int32 = 1
  static let usage: Int32 = 2

  /// Does what a command line asks for.
  static func run(_ arguments: [String]) -> Int32 {
    do throws(UsageError) {
      switch arguments.first {
      case nil: throw UsageError("say what to do")
      case "--version", "version": print("understudy \(versionAndCommit)")
      case "help" where Array(arguments.dropFirst()) == ["--manual"]: print(ManualPage.text, terminator: "")
      case "help", "--help", "-h": print(try help(Array(arguments.dropFirst())), terminator: "")
      case let name?:
        guard let command = all.first(where: { $0.name == name }) else {
          throw UsageError("there is no command '\(name)'")
        }
        let rest = Array(arguments.dropFirst())
        if rest.contains("--help") || rest.contains("-h") {
          print(command.help, terminator: "")
        } else {
          return try command.run(try Arguments(rest, options: command.options, operands: command.operands))
        }
      }
      return success
    } catch {
      let command = all.contains { $0.name == arguments.first } ? "\(arguments[0]) --help" : "help"
      complain("\(error.reason); 'understudy \(command)' says what there is")
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
    guard let command = all.first(where: { $0.name == name }) else {
      throw UsageError("there is no command '\(name)'")
    }
    return command.help
  }

  private static var overview: String {
    let commands =
      all.map { ($0.usage, $0.summary) } + [("help [COMMAND]", "Says what a command does and takes.")]
    return """
      understudy \(Application.version): a server that stands in for cmsc106.net.

      usage: understudy COMMAND [OPTION ...]
             understudy --version

      \(table(commands))
      'understudy COMMAND --help' lists a command's options. Most are environment variables too, whose
      names it says; the option wins.

      """
  }

  /// `import KIND FILE`
  var usage: String { ([name] + operands.map(\.usage)).joined(separator: " ") }

  private var help: String {
    """
    usage: understudy \(usage) [OPTION ...]

    \(summary)

    \(operands.isEmpty ? "" : Self.table(operands.map { ($0.name, $0.help) }) + "\n")\(Self.table(options.map { ($0.usage, $0.description) }))
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
