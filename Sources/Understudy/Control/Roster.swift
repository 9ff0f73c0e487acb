import HTTP
import JSON

/// A class, as a table in CSV: a column `name` or `username`, and perhaps `password`, `realname` and `phone`. What
/// `export users` writes is one too: of its column `app` the rows of the other app are left out.
struct Roster {
  /// The most users that are added at a time.
  private static let limit = 10_000
  /// So many of the lines that are wrong are told.
  private static let toldLines = 50

  /// Something that is wrong, and in which line.
  typealias Mistake = (line: Int, reason: String)

  private static let known = ["name", "password", "realname", "phone", "app"]

  /// Those that can be read, each name once.
  private(set) var users: [UserTable.NewUser] = []
  private(set) var mistakes: [Mistake] = []
  /// What of the table doesn't count, a sentence each.
  private(set) var notes: [String] = []

  /// - Throws: `Problem` 422 where nothing of it can be read.
  init(_ bytes: [UInt8], for table: UserTable) throws(Problem) {
    let file: CSV
    do { file = try CSV(collectingMistakesIn: bytes) } catch {
      throw .unprocessable(Self.lines([(error.line, error.reason)]))
    }
    guard file.rows.count <= Self.limit else {
      throw .unprocessable("It has \(file.rows.count) rows: at most \(Self.limit) are taken at a time.")
    }
    let columns = try readColumns(of: file)
    mistakes = file.mistakes.map { ($0.line, $0.reason) }
    var lines: [String: Int] = [:]
    var others = 0
    // Spreadsheets leave rows behind with nothing in them.
    for row in file.rows where !row.fields.allSatisfy({ $0.trimmed.isEmpty }) {
      func field(_ name: String) -> String? { columns[name].flatMap { row[$0] } }
      // As an export writes what a spreadsheet would run.
      func text(_ name: String) -> String { Formula.restored((field(name) ?? "").trimmed) }
      if let app = field("app")?.trimmed.lowercased(), app != table.rawValue {
        if UserTable(rawValue: app) != nil {
          others += 1
        } else {
          mistakes.append((row.line, "the app is '\(app)': invasive or directory is expected"))
        }
        continue
      }
      let password = field("password") ?? ""
      // Nobody means spaces by it.
      let isMadeUp = password.trimmed.isEmpty
      let user = UserTable.NewUser(
        line: row.line, name: text("name"), password: isMadeUp ? nil : password,
        realname: text("realname"), phone: text("phone"))
      if let reason = Self.defect(of: user) {
        mistakes.append((row.line, reason))
      } else if let other = lines[user.name.normalized] {
        mistakes.append((row.line, "the name '\(user.name)' is in line \(other) already"))
      } else {
        lines[user.name.normalized] = row.line
        users.append(user)
      }
    }
    if others > 0 {
      notes.append("\(others) \(others == 1 ? "row is" : "rows are") of the other app, and left out")
    }
    guard !users.isEmpty || !mistakes.isEmpty else {
      throw .unprocessable(others > 0 ? "It has no rows of the \(table.rawValue) app." : "It has no rows.")
    }
  }

  /// What the table calls the columns that count.
  private mutating func readColumns(of table: CSV) throws(Problem) -> [String: String] {
    var columns: [String: String] = [:]
    var unused: [String] = []
    for column in table.columns {
      let plain = column.filter { $0 != " " && $0 != "_" && $0 != "-" }
      let name = plain == "username" ? "name" : plain
      guard Self.known.contains(name) else {
        unused.append(column)
        continue
      }
      guard columns.updateValue(column, forKey: name) == nil else {
        throw .unprocessable("line 1: there are two columns for the \(name)")
      }
    }
    guard columns["name"] != nil else {
      let found = table.columns.map { "'\($0)'" }.joined(separator: ", ")
      throw .unprocessable(
        "line 1: there is no column 'name' in \(found): the first line has to name the columns, name and perhaps password, realname and phone, with commas, semicolons or tabs between them"
      )
    }
    // Left out, the passwords that the table has would be others.
    if columns["password"] == nil, let column = unused.first(where: { $0.hasPrefix("pas") }) {
      throw .unprocessable("line 1: if the column '\(column)' is the password, call it 'password'")
    }
    if !unused.isEmpty {
      let names = unused.map { "'\($0)'" }.joined(separator: ", ")
      notes.append("there is no use for the \(unused.count == 1 ? "column" : "columns") \(names)")
    }
    return columns
  }

  private static func defect(of user: UserTable.NewUser) -> String? {
    let texts = [
      ("name", user.name), ("password", user.password ?? ""), ("realname", user.realname),
      ("phone", user.phone),
    ]
    if user.name.isEmpty { return "the name is empty" }
    for (column, text) in texts where text.unicodeScalars.count > JSONObject.shortText {
      return
        "the \(column) has \(text.unicodeScalars.count) characters: at most \(JSONObject.shortText) are taken"
    }
    return user.name.defectAsName.map { "the name can't be taken: \($0)" }
  }

  /// What is wrong with which lines, in their order, a line for each of them.
  static func lines(_ mistakes: [Mistake]) -> String {
    let sorted = mistakes.sorted { $0.line < $1.line }
    let told = sorted.prefix(toldLines).map { "line \($0.line): \($0.reason)" }
    let more = sorted.count - told.count
    return (told + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "\n")
  }
}
