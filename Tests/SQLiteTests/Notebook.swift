import SQLite

/// What the crash tests write, and what must be there afterwards: notes, each with tags in a table of
/// their own, so that half of a change shows.
struct Notebook: Equatable, Sendable {
  /// A change, of the writer's work as of this model.
  enum Change: Sendable {
    case add(Int64, String)
    case rewrite(Int64, String)
    case remove(Int64)
    /// Writes something and then gives up.
    case giveUp(Int64)
  }

  struct GaveUp: Error {}

  var notes: [Int64: String] = [:]
  var tags: [Int64: [String]] = [:]

  static let first = """
    CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL) STRICT;
    CREATE INDEX note_text ON note (text);
    CREATE TABLE tag (note INTEGER NOT NULL REFERENCES note ON DELETE CASCADE, name TEXT NOT NULL) STRICT;
    CREATE INDEX tag_note ON tag (note);
    """
  /// From version 1 to 2: every row is written anew.
  static let step = """
    ALTER TABLE note ADD COLUMN length INTEGER NOT NULL DEFAULT 0;
    UPDATE note SET length = length(text);
    """

  /// The schema of a version, 1 or 2.
  static func schema(version: Int) -> Database.Schema {
    Database.Schema(
      applicationID: 0x4E6F_7465, definition: version == 1 ? first : first + step,
      migrations: version == 1 ? [] : [step])
  }

  /// What is in a database.
  init(of connection: Connection) throws {
    for (id, text) in try connection.rows("SELECT id, text FROM note", as: { ($0.integer(0), $0.text(1)) }) {
      notes[id] = text
    }
    let rows = try connection.rows("SELECT note, name FROM tag ORDER BY rowid") {
      ($0.integer(0), $0.text(1))
    }
    for (note, name) in rows { tags[note, default: []].append(name) }
  }

  init(_ changes: [Change] = []) {
    for change in changes { apply(change) }
  }

  mutating func apply(_ change: Change) {
    switch change {
    case .add(let id, let text):
      notes[id] = text
      tags[id] = ["new", "note \(id)"]
    case .rewrite(let id, let text):
      guard notes[id] != nil else { return }
      notes[id] = text
      tags[id, default: []].append("rewritten")
    case .remove(let id):
      notes[id] = nil
      tags[id] = nil
    case .giveUp: break
    }
  }
}

extension Notebook.Change {
  /// Makes it in a database.
  func make(on connection: Connection) throws {
    switch self {
    case .add(let id, let text):
      try connection.run("INSERT INTO note (id, text) VALUES (?1, ?2)", .integer(id), .text(text))
      try connection.run("INSERT INTO tag VALUES (?1, 'new')", .integer(id))
      try connection.run("INSERT INTO tag VALUES (?1, ?2)", .integer(id), .text("note \(id)"))
    case .rewrite(let id, let text):
      try connection.run("UPDATE note SET text = ?2 WHERE id = ?1", .integer(id), .text(text))
      guard connection.changedRows == 1 else { return }
      try connection.run("INSERT INTO tag VALUES (?1, 'rewritten')", .integer(id))
    case .remove(let id):
      try connection.run("DELETE FROM note WHERE id = ?1", .integer(id))
    case .giveUp(let id):
      try connection.run("INSERT INTO note (id, text) VALUES (?1, 'half done')", .integer(id))
      throw Notebook.GaveUp()
    }
  }
}
