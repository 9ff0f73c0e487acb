import HTTP
import SQLite

/// Signing up and logging in, the same for both apps.
struct Accounts: Sendable {
  let storage: Storage
  let hasher: PasswordHasher
  let throttle: LoginThrottle

  /// A user as a login finds it.
  struct Found<User: Sendable>: Sendable {
    let user: User
    /// The stored text of its password.
    let hash: String
  }

  /// One reading of a login's query.
  private struct Try<User: Sendable>: Sendable {
    let keys: Set<LoginThrottle.Key>
    let password: String
    let found: Found<User>?
  }

  /// Answers `?user=…&password=…`.
  ///
  /// The query has two readings where it holds a `+`: iOS sends one for a plus sign, HTML forms for
  /// a space. Together they count as one try.
  ///
  /// - Parameters:
  ///   - app: whose users are meant.
  ///   - find: looks a user up by its name in normalization form C.
  ///   - answer: the response for the user whose password was right, and that password.
  /// - Throws: `Problem` 400 where a parameter is missing.
  func logIn<User: Sendable>(
    _ request: Request, app: String, find: (Connection, String) throws -> Found<User>?,
    answer: @escaping @Sendable (User, String) -> Response
  ) throws -> Reply {
    let connection = try storage.readers.connection()
    var tries: [Try<User>] = []
    for plusIsSpace in request.target.queryHasPlus ? [false, true] : [false] {
      let query = request.target.query(plusIsSpace: plusIsSpace)
      let name = try query.requiredText("user").normalized
      let password = try query.requiredText("password")
      tries.append(
        Try(
          keys: LoginThrottle.Key.all(app: app, name: name, address: request.clientAddress),
          password: password,
          found: try find(connection, name)))
    }
    let read = tries
    return hashing { completion throws(Problem) in
      let (user, password) = try check(read)
      completion.succeed(answer(user, password))
    }
  }

  private func check<User: Sendable>(_ tries: [Try<User>]) throws(Problem) -> (User, password: String) {
    // What can't be a user's name in one reading is not counted where it is one in the other: nobody
    // would ever set it back.
    let known = tries.filter { $0.found != nil }
    let keys = (known.isEmpty ? Array(tries.prefix(1)) : known).reduce(into: Set()) { $0.formUnion($1.keys) }
    try throttle.begin(keys)
    for one in tries {
      guard hasher.verify(one.password, against: one.found?.hash), let found = one.found else { continue }
      throttle.end(keys, right: one.keys)
      return (found.user, one.password)
    }
    throttle.end(keys, right: [])
    throw Problem(.unauthorized, "The name or the password is wrong.")
  }

  /// Answers a sign-up: hashes the password, then has the row made.
  ///
  /// - Parameter make: makes the row, on the writer's thread, with the text to store for the password.
  func signUp(
    password: String, make: @escaping @Sendable (Connection, String) throws -> Response
  ) -> Reply {
    hashing { completion throws(Problem) in
      let hash = try hasher.hash(password)
      storage.change(completion) { try make($0, hash) }
    }
  }

  /// Has `job` done on a thread that may hash. What it throws, or the queue that has no room for it, is the
  /// answer.
  private func hashing(_ job: @escaping @Sendable (Completion) throws(Problem) -> Void) -> Reply {
    .later { completion in
      do throws(Problem) {
        try hasher.submit {
          do throws(Problem) { try job(completion) } catch { completion.fail(error) }
        }
      } catch {
        completion.fail(error)
      }
    }
  }

  /// What a sign-up under a name that is taken is told.
  static func nameTaken(_ name: String) -> Problem {
    Problem(.conflict, "The name '\(name)' is taken: choose another one, or log in.")
  }
}
