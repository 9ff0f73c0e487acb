import HTTP
import JSON

/// A class, as a table in CSV: a column `name` or `username`, and perhaps `password`, `realname` and `phone`.
struct Roster {
  /// The most users that are added at a time.
  private static let limit = 10_000
  /// So many of the lines that are wrong are told.
  private static let toldLines = 50

  let users: [UserTable.NewUser]

  /// - Throws: `Problem` 422 that says, a line for each, which rows of the table are wrong and why.
  init(_ bytes: [UInt8]) throws(Problem) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .unprocessable("It is not UTF-8: save it as 'CSV UTF-8', as spreadsheets call it.")
    }
    let table: CSV
    do { table = try CSV(text) } catch {
      throw .unprocessable("line \(error.line): \(error.reason)")
    }
    guard table.rows.count <= Self.limit else {
      throw .unprocessable("It has \(table.rows.count) rows: at most \(Self.limit) are taken at a time.")
    }
    guard !table.rows.isEmpty else { throw .unprocessable("It has no rows.") }
    let columns = try Self.columns(of: table)
    var users: [UserTable.NewUser] = []
    var wrong: [(line: Int, reason: String)] = []
    var lines: [String: Int] = [:]
    for row in table.rows {
      func field(_ name: String) -> String? { columns[name].flatMap { try? row.text($0) } }
      let user = UserTable.NewUser(
        line: row.line, name: (field("name") ?? "").trimmed, password: field("password"),
        realname: (field("realname") ?? "").trimmed, phone: (field("phone") ?? "").trimmed)
      if let reason = Self.defect(of: user) {
        wrong.append((row.line, reason))
      } else if let other = lines.updateValue(row.line, forKey: user.name.normalized) {
        wrong.append((row.line, "the name '\(user.name)' is in line \(other) already"))
      }
      users.append(user)
    }
    guard wrong.isEmpty else { throw .unprocessable(Self.lines(wrong)) }
    self.users = users
  }

  /// What the table calls the columns that there may be.
  private static func columns(of table: CSV) throws(Problem) -> [String: String] {
    var columns: [String: String] = [:]
    for column in table.columns {
      let known = column.trimmed.lowercased().filter { $0 != " " && $0 != "_" }
      let name = known == "username" ? "name" : known
      guard ["name", "password", "realname", "phone"].contains(name) else {
        throw .unprocessable(
          "line 1: there is no use for a column '\(column)': name, password, realname and phone are those that count, with commas between them"
        )
      }
      guard columns.updateValue(column, forKey: name) == nil else {
        throw .unprocessable("line 1: there are two columns for the \(name)")
      }
    }
    guard columns["name"] != nil else { throw .unprocessable("line 1: there is no column 'name'") }
    return columns
  }

  private static func defect(of user: UserTable.NewUser) -> String? {
    let texts = [
      ("name", user.name), ("password", user.password ?? "-"), ("realname", user.realname),
      ("phone", user.phone),
    ]
    for (column, text) in texts {
      if text.isEmpty, column == "name" || column == "password" { return "the \(column) is empty" }
      guard text.unicodeScalars.count <= JSONObject.shortText else {
        return
          "the \(column) has \(text.unicodeScalars.count) characters: at most \(JSONObject.shortText) are taken"
      }
    }
    return nil
  }

  /// What is wrong with which lines, a line for each of them.
  static func lines(_ wrong: [(line: Int, reason: String)]) -> String {
    let told = wrong.prefix(toldLines).map { "line \($0.line): \($0.reason)" }
    let more = wrong.count - told.count
    return (told + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "\n")
  }
}

extension String {
  /// Without the white space at both ends that spreadsheets leave unseen.
  fileprivate var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
