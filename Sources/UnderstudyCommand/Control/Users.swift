import HTTPClient
import JSON
import Understudy

extension Option {
  /// The data folder that a command is about.
  static let data = Option("data", "FOLDER", "The data folder.", standard: "./data")
}

extension Arguments {
  /// The data folder that a command is about.
  var dataFolder: String { self["data"] ?? "./data" }
}

extension Command {
  /// What is done with the users of the apps.
  static let users = [usersList]

  /// Does something with the help of whoever has the data folder.
  static func control(
    _ folder: String, makesFolder: Bool = false, _ body: (ControlClient) throws(ControlClient.Failure) -> Void
  ) -> Int32 {
    do throws(ControlClient.Failure) {
      try body(try ControlClient.open(dataFolder: folder, makesFolder: makesFolder))
      return success
    } catch {
      for line in error.description.split(separator: "\n") { complain(String(line).printable) }
      return failure
    }
  }

  private static let app = Option(
    "app", "APP", "Whose users: invasive or directory.", standard: "none: it has to be said")

  private static let usersList = Command(
    name: "users list", summary: "Lists the users of an app, and how much each of them has.",
    options: [app, .data],
    run: { arguments throws(UsageError) in
      let app = try arguments.app()
      return control(arguments.dataFolder) { client throws(ControlClient.Failure) in
        let isInvasive = app == "invasive"
        var table = Table(
          ["id", "name"] + (isInvasive ? ["real name", "phone", "observations"] : ["people"]))
        for user in try client.send("GET", "/users/\(app)").object.objects("users") {
          let own =
            isInvasive
            ? [user.text("realname"), user.text("phone"), "\(user.number("observations"))"]
            : ["\(user.number("people"))"]
          table.append(["\(user.number("id"))", user.text("name")] + own)
        }
        table.print()
      }
    })
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
