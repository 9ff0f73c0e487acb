import JSON

/// Adds users: all of them, or none.
struct UserAddition {
  let app: String
  let folder: String
  let makesFolder: Bool
  let sheet: PasswordSheet

  /// Adds a user.
  ///
  /// - Parameter password: nil for one that is made up.
  /// - Returns: the exit status.
  func add(_ name: String, _ password: String?, realname: String, phone: String) -> Int32 {
    let texts = [("name", name), ("realname", realname), ("phone", phone)]
    return add(
      "/check", .object(texts + (password.map { [("password", $0)] } ?? [])), type: "application/json",
      isTable: false)
  }

  /// Adds everybody in a table in CSV.
  ///
  /// - Returns: the exit status.
  func add(roster: [UInt8]) -> Int32 { add("/roster", roster, type: "text/csv", isTable: true) }

  /// - Parameters:
  ///   - route: by which it is asked who can be added, below that of the app.
  ///   - body: who is to be.
  private func add(_ route: String, _ body: [UInt8], type: String, isTable: Bool) -> Int32 {
    var found: [JSONObject] = []
    // Nobody is kept from the folder while passwords are hashed.
    let status = Command.control(folder, makesFolder: makesFolder) { client throws(ControlClient.Failure) in
      try sheet.requireFree()
      let answer = try client.send("POST", "/users/\(app)\(route)", body: body, type: type).object
      found = answer.objects("users")
      for note in answer.texts("notes") { Command.complain(note.printable) }
    }
    guard status == Command.success else { return status }
    let users = found.map {
      PasswordChange.User(name: $0.text("name"), password: $0["password"] == nil ? nil : $0.text("password"))
    }
    let change = PasswordChange(
      users: users, sheet: sheet, isTable: isTable, folder: folder, makesFolder: makesFolder)
    return change.run { [found] hashes, client throws(ControlClient.Failure) in
      let rows = zip(found, hashes).map { user, hash in
        [UInt8].object(
          ["name", "realname", "phone"].map { ($0, user.text($0)) } + [("hash", hash)],
          numbers: [("line", user.number("line"))])
      }
      let body =
        Array("{\"users\":[".utf8) + rows.joined(separator: [UInt8(ascii: ",")]) + Array("]}".utf8)
      _ = try client.send("POST", "/users/\(app)", body: body)
      report(users, isTable: isTable)
    }
  }

  private func report(_ users: [PasswordChange.User], isTable: Bool) {
    let count = "\(users.count) \(users.count == 1 ? "user" : "users")"
    let line = isTable ? "added \(count)" : "added \(users.first?.name.printable ?? "")"
    guard users.contains(where: \.isMadeUp) else { return print(line) }
    if let file = sheet.file {
      return print("\(line); what was made up as a password is in \(file.printable)")
    }
    guard isTable else { return print(line) }
    // Standard output has the table of the passwords and nothing else.
    Command.complain("\(line); passwords that were made up are shown this once")
  }
}
