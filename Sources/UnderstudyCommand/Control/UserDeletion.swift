import JSON

/// Deletes users, once it has been said what goes with them.
struct UserDeletion {
  let app: String
  let folder: String

  private struct User {
    let name: String
    let id: Int64
    let possessions: Int64
  }

  /// - Returns: the exit status.
  func run(_ names: [String], asks: Bool) -> Int32 {
    var users: [User] = []
    // Nobody is kept from the folder while the question waits for its answer.
    let status = Command.control(folder) { client throws(ControlClient.Failure) in
      for name in names {
        let found = try client.send("POST", "/users/\(app)/find", body: .object([("name", name)])).object
        users.append(
          User(
            name: found.text("name"), id: found.number("id"),
            possessions: found.number(app == "invasive" ? "observations" : "people")))
      }
    }
    guard status == Command.success else { return status }
    if asks {
      guard Terminal.isThere else {
        for user in users { Command.complain("this would delete \(description(of: user))") }
        Command.complain("there is nobody to ask whether that is meant: say so with --yes")
        return Command.failure
      }
      for user in users { print("this deletes \(description(of: user))") }
      guard Output.flush() == nil else {
        Command.complain("it can't be shown what goes with them: nothing was deleted")
        return Command.failure
      }
      guard Terminal.agrees(to: "Is that meant?") else {
        print("nothing was deleted")
        return Command.failure
      }
    }
    return Command.control(folder) { [users] client throws(ControlClient.Failure) in
      for user in users {
        _ = try client.send(
          "POST", "/users/\(app)/delete",
          body: .object([("name", user.name)], numbers: [("id", user.id), ("possessions", user.possessions)]))
        print("deleted \(description(of: user))")
      }
    }
  }

  private func description(of user: User) -> String {
    let count = user.possessions
    let own =
      switch (app, count) {
      case ("invasive", 1): "1 observation"
      case ("invasive", _): "\(count) observations"
      case (_, 1): "1 person"
      default: "\(count) people"
      }
    return "\(user.name.printable) of the \(app) app with \(own)"
  }
}
