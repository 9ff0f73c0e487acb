import HTTP
import JSON
import SQLite

/// The users of one of the two apps, as their teacher deals with them.
enum UserTable: String, Sendable {
  case invasive, directory

  /// A user that is to be made.
  struct NewUser: Sendable {
    /// The line of the roster; 0 for one that isn't of a roster.
    let line: Int
    let name: String
    /// Nil for one that is made up.
    let password: String?
    let realname: String
    let phone: String

    /// Appends the user as JSON, for the command that is to add it.
    func append(to body: ByteBuffer) {
      body.append("{\"line\":" as StaticString)
      body.append(Int64(line))
      let texts = [("name", name), ("realname", realname), ("phone", phone)]
      for (name, text) in texts + (password.map { [("password", $0)] } ?? []) {
        body.append(nextMember: name)
        body.append(jsonString: text)
      }
      body.append(UInt8(ascii: "}"))
    }
  }

  /// A user, and how much goes with it.
  struct User: Sendable {
    let id: Int64
    let name: String
    let realname: String
    let phone: String
    /// What the directory app's requests name; empty in the other.
    let key: String
    /// Observations, or people.
    let possessions: Int64

    /// Appends the user as JSON, without its key.
    func append(to body: ByteBuffer, of table: UserTable) {
      body.append("{\"id\":" as StaticString)
      body.append(id)
      body.append(",\"name\":" as StaticString)
      body.append(jsonString: name)
      if table == .invasive {
        body.append(",\"realname\":" as StaticString)
        body.append(jsonString: realname)
        body.append(",\"phone\":" as StaticString)
        body.append(jsonString: phone)
      }
      body.append(table == .invasive ? ",\"observations\":" : ",\"people\":" as StaticString)
      body.append(possessions)
      body.append(UInt8(ascii: "}"))
    }
  }

  /// The table that a request is about.
  ///
  /// - Throws: `Problem` 404.
  init(_ request: Request) throws(Problem) {
    guard let table = request.parameter("app").flatMap(Self.init(rawValue:)) else {
      throw .notFound("There is no such app: invasive and directory are those that there are.")
    }
    self = table
  }

  /// What a user has, as a sentence says it.
  func possessions(_ count: Int64) -> String {
    switch self {
    case .invasive: count == 1 ? "1 observation" : "\(count) observations"
    case .directory: count == 1 ? "1 person" : "\(count) people"
    }
  }

  // MARK: Reading

  /// The users behind an id, by id, and so many of them.
  func users(after id: Int64, limit: Int64, on connection: Connection) throws(SQLiteError) -> [User] {
    switch self {
    case .invasive:
      try connection.rows(
        """
        SELECT id, username, realname, phone, '', (SELECT count(*) FROM observation WHERE observation.user = user.id)
        FROM user WHERE id > ?1 ORDER BY id LIMIT ?2
        """, .integer(id), .integer(limit), as: Self.user)
    case .directory:
      try connection.rows(
        """
        SELECT id, name, '', '', key, (SELECT count(*) FROM person WHERE person.user = directory_user.id)
        FROM directory_user WHERE id > ?1 ORDER BY id LIMIT ?2
        """, .integer(id), .integer(limit), as: Self.user)
    }
  }

  /// - Throws: `Problem` 404 where there is none of that name; `SQLiteError`.
  func user(named name: String, on connection: Connection) throws -> User {
    let name = name.normalized
    let user =
      switch self {
      case .invasive:
        try connection.row(
          """
          SELECT id, username, realname, phone, '',
            (SELECT count(*) FROM observation WHERE observation.user = user.id)
          FROM user WHERE username_nfc = ?1
          """, .text(name), as: Self.user)
      case .directory:
        try connection.row(
          """
          SELECT id, name, '', '', key, (SELECT count(*) FROM person WHERE person.user = directory_user.id)
          FROM directory_user WHERE name_nfc = ?1
          """, .text(name), as: Self.user)
      }
    guard let user else {
      throw Problem.notFound("There is no user '\(name)' of the \(rawValue) app.")
    }
    return user
  }

  func hasUser(named name: String, on connection: Connection) throws(SQLiteError) -> Bool {
    let name = name.normalized
    let found =
      switch self {
      case .invasive:
        try connection.row("SELECT 1 FROM user WHERE username_nfc = ?1", .text(name)) { _ in true }
      case .directory:
        try connection.row("SELECT 1 FROM directory_user WHERE name_nfc = ?1", .text(name)) { _ in true }
      }
    return found != nil
  }

  private static func user(_ row: borrowing Row) -> User {
    User(
      id: row.integer(0), name: row.text(1), realname: row.text(2), phone: row.text(3), key: row.text(4),
      possessions: row.integer(5))
  }

  // MARK: Changing

  /// - Returns: the id.
  /// - Throws: `SQLiteError`, `notUnique` where the name is taken.
  func insert(_ user: NewUser, hash: String, on connection: Connection) throws(SQLiteError) -> Int64 {
    switch self {
    case .invasive:
      try InvasiveUsers.insert(
        user.name, hash: hash, realname: user.realname, phone: user.phone, on: connection)
    case .directory: try DirectoryUsers.insert(user.name, hash: hash, on: connection)
    }
    return connection.lastInsertedRow
  }

  /// - Throws: `SQLiteError`, `notUnique` where the name is taken.
  func rename(_ id: Int64, to name: String, on connection: Connection) throws(SQLiteError) {
    switch self {
    case .invasive:
      try connection.run(
        "UPDATE user SET username = ?2, username_nfc = ?3 WHERE id = ?1", .integer(id), .text(name),
        .text(name.normalized))
    case .directory:
      try connection.run(
        "UPDATE directory_user SET name = ?2, name_nfc = ?3 WHERE id = ?1", .integer(id), .text(name),
        .text(name.normalized))
    }
  }

  func setPassword(_ id: Int64, hash: String, on connection: Connection) throws(SQLiteError) {
    switch self {
    case .invasive:
      try connection.run("UPDATE user SET password = ?2 WHERE id = ?1", .integer(id), .text(hash))
    case .directory:
      try connection.run("UPDATE directory_user SET password = ?2 WHERE id = ?1", .integer(id), .text(hash))
    }
  }

  /// Removes a user with all that it has.
  func delete(_ id: Int64, on connection: Connection) throws(SQLiteError) {
    switch self {
    case .invasive:
      try connection.run("DELETE FROM observation WHERE user = ?1", .integer(id))
      try connection.run("DELETE FROM user WHERE id = ?1", .integer(id))
    case .directory:
      try connection.run("DELETE FROM person WHERE user = ?1", .integer(id))
      try connection.run("DELETE FROM directory_user WHERE id = ?1", .integer(id))
    }
  }
}
