import Foundation
import SQLite

/// What a killed server has left in its folder, looked at in a copy: the next server has to recover the
/// folder itself.
struct StoredRows {
  let observations: [(id: Int64, comment: String)]
  let people: [(id: Int64, name: String, office: String)]
  /// What SQLite finds wrong with the file.
  let defects: [String]

  /// - Parameters:
  ///   - observation: of the sightings those with a larger id.
  ///   - person: of the people those from this id on.
  init(of folder: URL, observationsAfter observation: Int64 = 0, peopleFrom person: Int64 = 0)
    throws
  {
    let copy = try TemporaryFolder()
    for name in ["understudy.sqlite", "understudy.sqlite-wal"] {
      let file = folder.appending(path: name)
      guard FileManager.default.fileExists(atPath: file.path) else { continue }
      try FileManager.default.copyItem(at: file, to: copy.url.appending(path: name))
    }
    let connection = try Connection(path: copy.path + "/understudy.sqlite", access: .readWrite)
    let complaints = try connection.rows("PRAGMA integrity_check") { $0.text(0) }
    let orphans = try connection.rows("PRAGMA foreign_key_check") { "an orphan in \($0.text(0))" }
    defects = complaints.filter { $0 != "ok" } + orphans
    observations = try connection.rows(
      "SELECT id, comment FROM observation WHERE id > ?1 ORDER BY id", .integer(observation)
    ) { ($0.integer(0), $0.text(1)) }
    people = try connection.rows(
      "SELECT id, name, office FROM person WHERE id >= ?1 ORDER BY id", .integer(person)
    ) {
      ($0.integer(0), $0.text(1), $0.text(2))
    }
  }
}
