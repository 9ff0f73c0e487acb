import Understudy

/// understudy(1), made of the same tables as the help, in the language of mdoc(7).
enum ManualPage {
  /// The page's text.
  static var text: String {
    var page = """
      .\\" Made by 'understudy help --manual': change the tables of the commands instead.
      .Dd \(date)
      .Dt UNDERSTUDY 1
      .Os
      .Sh NAME
      .Nm understudy
      .Nd a server that stands in for cmsc106.net
      .Sh SYNOPSIS
      .Nm
      .Ar command
      .Op Ar option ...
      .Nm
      .Fl -version
      .Sh DESCRIPTION
      .Nm
      serves the invasive species app and the directory app of a programming course as
      .Lk https://cmsc106.net
      does: the same addresses, the same JSON.
      What it keeps is in one folder.
      .Pp
      Most options are environment variables too, whose names stand in brackets;
      the option wins.
      .Sh COMMANDS

      """
    for command in Command.all { page += section(of: command) }
    return page + """
      .Sh EXIT STATUS
      .Bl -tag -width Ds
      .It 0
      What was asked for is done; a server has ended when it was told to.
      .It 1
      It couldn't be done; a line on the standard error output says why.
      .It 2
      The command line or an environment variable makes no sense.
      .El
      .Sh SEE ALSO
      .Xr curl 1 ,
      .Xr sqlite3 1 ,
      .Xr dnsmasq 8

      """
  }

  private static func section(of command: Command) -> String {
    var section = """
      .Ss \(escape(command.synopsis))
      \(sentences(command.summary))

      """
    guard !command.options.isEmpty || command.operand != nil else { return section }
    section += ".Bl -tag -width Ds\n"
    if let operand = command.operand {
      section += ".It Ar \(escape(operand.name))\n" + sentences(operand.help) + "\n"
    }
    for option in command.options {
      section += ".It Fl -\(escape(option.name))" + (option.value.map { " Ar \(escape($0))" } ?? "") + "\n"
      section += sentences(option.description) + "\n"
    }
    return section + ".El\n"
  }

  /// The day of the version, `November 30, 2026`.
  private static var date: String {
    let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
      "November",
      "December",
    ]
    let parts = Application.released.split(separator: "-").compactMap { Int($0) }
    return "\(months[parts[1] - 1]) \(parts[2]), \(parts[0])"
  }

  /// New sentence, new line, as mdoc wants it, and none longer than 78 bytes.
  private static func sentences(_ text: String) -> String {
    var lines: [String] = []
    var line: [Substring] = []
    for word in text.split(separator: " ") {
      if (line + [word]).joined(separator: " ").utf8.count > 72 {
        lines.append(line.joined(separator: " "))
        line = []
      }
      line.append(word)
      if word.hasSuffix(".") {
        lines.append(line.joined(separator: " "))
        line = []
      }
    }
    if !line.isEmpty { lines.append(line.joined(separator: " ")) }
    return lines.map(escape).joined(separator: "\n")
  }

  /// Text that mdoc takes as it is (roff(7)): a line that begins with a point or an apostrophe would be a request.
  private static func escape(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "…": escaped += "..."
      default: escaped.append(character)
      }
    }
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }
}
