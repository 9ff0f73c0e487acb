import Threads
import Understudy

/// Giving users passwords: hashes them, keeps those that were made up, and only then has the users changed.
///
/// In this order one that is stopped leaves nothing behind: before the passwords are written nothing is changed, and
/// behind that all that is left is one request.
struct PasswordChange {
  /// A user, and the password that it is to have.
  struct User {
    let name: String
    let password: String
    let isMadeUp: Bool

    /// - Parameter password: nil for one that is made up.
    init(name: String, password: String?) {
      self.name = name
      self.password = password ?? NewPasswords.madeUp()
      isMadeUp = password == nil
    }
  }

  let users: [User]
  let sheet: PasswordSheet
  /// Whether there may be many, who are a table.
  let isTable: Bool
  let folder: String
  var makesFolder: Bool?

  /// - Parameter change: has the users changed, who get these hashes in their order.
  /// - Returns: the exit status.
  func run(
    _ change: ([String], ControlClient) throws(ControlClient.Failure) -> Void
  ) -> Int32 {
    guard let hashes = hashes() else { return Command.failure }
    return Command.control(folder, makesFolder: makesFolder) { client throws(ControlClient.Failure) in
      let madeUp = users.filter(\.isMadeUp)
      if !madeUp.isEmpty {
        try sheet.write(madeUp.map { ($0.name, $0.password) }, isTable: isTable)
      }
      do throws(ControlClient.Failure) {
        try change(hashes, client)
      } catch {
        guard !madeUp.isEmpty else { throw error }
        let fate =
          error.status == nil
          ? "if it was, the passwords that were \(sheet.file.map { "written to \($0)" } ?? "printed") count"
          : sheet.takeBack()
        throw ControlClient.Failure(description: error.description + "\n" + fate, status: error.status)
      }
    }
  }

  /// - Returns: nil where that can't be, which has been said.
  private func hashes() -> [String]? {
    let progress = Progress()
    defer { progress.clear() }
    let start = MonotonicClock.now
    do throws(NewPasswords.NoMemory) {
      return try NewPasswords.hashes(of: users.map(\.password)) { done in
        guard users.count > 1 else { return }
        let rest = Double(MonotonicClock.now - start) / 1e9 / Double(done) * Double(users.count - done)
        progress.show("hashing passwords: \(done) of \(users.count), \(Int(rest.rounded(.up))) s to go")
      }
    } catch {
      progress.clear()
      Command.complain("there is no memory to hash a password now (19 MiB): nothing was changed")
      return nil
    }
  }
}
