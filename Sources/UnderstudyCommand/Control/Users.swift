import HTTPClient
import JSON
import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Command {
  /// What is done with the users of the apps.
  static let users = [usersList, usersAdd, usersRename, usersResetPassword, usersDelete]

  private static let app = Option(
    "app", "APP", "Whose users: invasive or directory.", standard: "none: it has to be said")
  private static let generate = Option.action("generate", "Makes a password up, and shows it this once.")
  private static let output = Option.value(
    "output", "FILE",
    "Writes passwords that are made up into a new file, for its owner alone, instead of showing them.")

  private static let usersList = Command(
    name: "users list", summary: "Lists the users of an app, and how much each of them has.",
    options: [app, .data],
    run: { arguments throws(UsageError) in
      let app = try arguments.app()
      return control(arguments.dataFolder, onlyReads: true) { client throws(ControlClient.Failure) in
        let isInvasive = app == "invasive"
        var table = Table(
          ["id", "name"] + (isInvasive ? ["real name", "phone", "observations"] : ["people"]))
        try client.eachPiece(from: "/users/\(app)") { piece throws(ControlClient.Failure) in
          table.print(
            piece.object.objects("users").map { user in
              let own =
                isInvasive
                ? [user.text("realname"), user.text("phone"), "\(user.number("observations"))"]
                : ["\(user.number("people"))"]
              return ["\(user.number("id"))", user.text("name")] + own
            })
        }
      }
    })

  private static let usersAdd = Command(
    name: "users add",
    summary:
      "Adds a user, whose password is asked for or the first line of standard input; or with --csv a class.",
    options: [
      app, .data, .create,
      .value(
        "csv", "FILE",
        "Adds everybody in a table with the columns name, password, realname and phone, or nobody; - is standard input. Where it says no password one is made up, and printed this once."
      ),
      .value("realname", "TEXT", "The real name (invasive)."),
      .value("phone", "TEXT", "The phone number (invasive)."),
      generate, output,
    ],
    operand: Operand("NAME", "The user's name.", count: .oneAtMost),
    run: { arguments throws(UsageError) in
      let addition = UserAddition(
        app: try arguments.app(), folder: arguments.dataFolder, makesFolder: try arguments.isOn("create"),
        sheet: PasswordSheet(file: arguments["output"]))
      if let file = arguments["csv"] {
        let generates = try arguments.isOn("generate")
        guard arguments.operands.isEmpty, arguments["realname"] == nil, arguments["phone"] == nil, !generates
        else {
          throw UsageError("--csv says who is added: it goes with no name, --realname, --phone or --generate")
        }
        guard let table = readWhole(file, limit: importLimit) else { return failure }
        return addition.add(roster: table)
      }
      guard let name = arguments.operands.first else { throw UsageError("say who: a NAME, or --csv FILE") }
      guard let password = try newPassword(for: name, arguments) else { return failure }
      return addition.add(
        name, password.text, realname: arguments["realname"] ?? "", phone: arguments["phone"] ?? "")
    })

  private static let usersRename = Command(
    name: "users rename", summary: "Gives a user another name to log in with.", options: [app, .data],
    operand: Operand("NAME NEW-NAME", "The name, and what it is to be.", count: .two),
    run: { arguments throws(UsageError) in
      let app = try arguments.app()
      let names = arguments.operands
      return control(arguments.dataFolder) { client throws(ControlClient.Failure) in
        let body = [UInt8].object([("name", names[0]), ("new", names[1])])
        let user = try client.send("POST", "/users/\(app)/rename", body: body).object
        print("\(names[0].printable) is \(user.text("name").printable) now")
      }
    })

  private static let usersResetPassword = Command(
    name: "users reset-password",
    summary: "Gives a user another password: asked for, or the first line of standard input.",
    options: [
      app, .data, generate, output,
      .action(
        "new-key",
        "Gives the user another key too (directory): whoever has kept the old one has to log in again."),
    ],
    operand: Operand("NAME", "The user's name."),
    run: { arguments throws(UsageError) in
      let app = try arguments.app()
      let changesKey = try arguments.isOn("new-key")
      guard !changesKey || app == "directory" else { throw UsageError("--new-key is for --app directory") }
      let sheet = PasswordSheet(file: arguments["output"])
      guard let password = try newPassword(for: arguments.operands[0], arguments) else { return failure }
      var (name, id) = ("", Int64(0))
      // Who can't be given a password is known before it is shown.
      let status = control(arguments.dataFolder) { client throws(ControlClient.Failure) in
        try sheet.requireFree()
        let user = try client.send(
          "POST", "/users/\(app)/find",
          body: .object([("name", arguments.operands[0])] + (password.text.map { [("password", $0)] } ?? []))
        ).object
        (name, id) = (user.text("name"), user.number("id"))
      }
      guard status == success else { return status }
      let change = PasswordChange(
        users: [PasswordChange.User(name: name, password: password.text)], sheet: sheet, isTable: false,
        folder: arguments.dataFolder)
      return change.run { hashes, client throws(ControlClient.Failure) in
        let body = [UInt8].object(
          [("name", name), ("hash", hashes[0])], numbers: [("id", id)], flags: changesKey ? ["newKey"] : [])
        let user = try client.send("POST", "/users/\(app)/password", body: body).object
        print("\(user.text("name").printable) has another password now")
      }
    })

  private static let usersDelete = Command(
    name: "users delete",
    summary:
      "Deletes users with all that they have: observations, or the people of their directory. Says how much that is, and asks.",
    options: [app, .data, .action("yes", "Doesn't ask.")],
    operand: Operand("NAME", "The users' names.", count: .several),
    run: { arguments throws(UsageError) in
      let deletion = UserDeletion(app: try arguments.app(), folder: arguments.dataFolder)
      return deletion.run(arguments.operands, asks: try !arguments.isOn("yes"))
    })

  // MARK: Passwords

  private enum NewPassword {
    case given(String)
    case madeUp

    /// Nil for one that is made up.
    var text: String? { if case .given(let text) = self { text } else { nil } }
  }

  /// The password that a user is to have. It isn't an argument: those can be seen by everybody on the machine.
  ///
  /// - Returns: nil where there is none, and that has been said.
  private static func newPassword(for name: String, _ arguments: Arguments) throws(UsageError) -> NewPassword?
  {
    if try arguments.isOn("generate") { return .madeUp }
    guard Terminal.isThere else {
      if let line = readLine(), !line.isEmpty { return .given(line) }
      complain("there is no password at standard input: give it one, or use --generate")
      return nil
    }
    guard let password = Terminal.secret("password for \(name.printable) (none: one is made up): ") else {
      return nil
    }
    if password.isEmpty { return .madeUp }
    guard Terminal.secret("the same again: ") == password else {
      complain("they differ: nothing was changed")
      return nil
    }
    return .given(password)
  }
}

extension Arguments {
  /// The app of `--app`.
  fileprivate func app() throws(UsageError) -> String {
    guard let app = self["app"] else {
      throw UsageError("say whose users: --app invasive or --app directory")
    }
    guard ["invasive", "directory"].contains(app) else {
      throw refused("app", app, expected: "invasive or directory")
    }
    return app
  }
}
