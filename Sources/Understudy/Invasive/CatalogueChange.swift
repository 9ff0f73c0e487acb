import HTTP
import SQLite

/// What new rows make of a table of the catalogue. They are all of it: an id that is not among them is taken out.
///
/// An id means its name. Phones and observations refer to it for ever, so that what an id means is changed only
/// where no observation refers to it, or where the owner says that the new name is only another spelling.
struct CatalogueChange: Sendable {
  let table: CatalogueTable
  /// New ones, and those in the place of old ones.
  private var stored: [CatalogueTable.Stored] = []
  private var removed: [Int64] = []
  private var added = 0
  private var unchanged = 0
  /// Names of ids that observations refer to, changed because their owner said so: a sentence for each.
  private var renamings: [String] = []
  /// Why it can't be: a sentence for each row.
  private(set) var refusals: [String] = []

  /// Compares; changes nothing.
  ///
  /// - Parameter allowsRenaming: whether an id that observations refer to may get another name.
  init(_ new: CatalogueRows, allowsRenaming: Bool, on connection: Connection) throws(SQLiteError) {
    table = new.table
    var old: [Int64: CatalogueTable.Stored] = [:]
    for row in try table.rows(on: connection) { old[row.id] = row }
    for row in new.rows {
      let known = old.removeValue(forKey: row.id)
      let meansTheSame = known.map { Self.meansTheSame($0.name, row.name) } ?? false
      // What is said of a plant is not said of another.
      let values = row.values.enumerated().map { index, value in
        value ?? (meansTheSame ? known?.values[index] : nil) ?? ""
      }
      let result = CatalogueTable.Stored(id: row.id, values: values)
      guard let known else {
        added += 1
        stored.append(result)
        continue
      }
      if known.isIdentical(to: result) {
        unchanged += 1
        continue
      }
      stored.append(result)
      if meansTheSame { continue }
      try rename(known, to: row.name, allowsRenaming: allowsRenaming, on: connection)
    }
    for row in old.values.sorted(by: { $0.id < $1.id }) {
      removed.append(row.id)
      let count = try table.observations(of: row.id, on: connection)
      if count > 0 {
        refusals.append("\(described(row)) is left out, and \(Self.refer(count)) to it")
      }
    }
  }

  private mutating func rename(
    _ known: CatalogueTable.Stored, to name: String, allowsRenaming: Bool, on connection: Connection
  ) throws(SQLiteError) {
    let count = try table.observations(of: known.id, on: connection)
    guard count > 0 else { return }
    if allowsRenaming {
      renamings.append("\(described(known)) is now '\(name)'; \(Self.refer(count)) to it")
    } else {
      refusals.append("\(described(known)) would become '\(name)', and \(Self.refer(count)) to it")
    }
  }

  /// - Returns: `species 4 ('Wild Parsnip')`
  private func described(_ row: CatalogueTable.Stored) -> String {
    "\(table.noun) \(row.id) ('\(row.name.printableStart)')"
  }

  private static func refer(_ count: Int64) -> String {
    count == 1 ? "1 observation refers" : "\(count) observations refer"
  }

  /// Whether two names differ in letter case and white space at most.
  private static func meansTheSame(_ one: String, _ other: String) -> Bool {
    func folded(_ name: String) -> [Substring] {
      name.normalized.lowercased().split(whereSeparator: \.isWhitespace)
    }
    return folded(one) == folded(other)
  }

  /// Whether the table stays as it is.
  var isEmpty: Bool { stored.isEmpty && removed.isEmpty }

  /// Makes the change, in the transaction that is open.
  func apply(on connection: Connection) throws(SQLiteError) {
    for id in removed { try table.remove(id, on: connection) }
    for row in stored { try table.store(row, on: connection) }
  }

  /// What it comes to, a line for each thing.
  var summary: [String] {
    let changed = stored.count - added
    let parts = [
      (added, "new"), (changed, "changed"), (removed.count, "taken out"), (unchanged, "as before"),
    ]
    let told = parts.filter { $0.0 > 0 }.map { "\($0) \($1)" }.joined(separator: ", ")
    return ["\(table.rawValue): \(told)"] + renamings
  }

  /// - Throws: `Problem` 409 where one of the changes can't be.
  static func requireAllowed(_ changes: [CatalogueChange]) throws(Problem) {
    let refusals = changes.flatMap(\.refusals)
    guard !refusals.isEmpty else { return }
    let limit = CatalogueRows.Mistakes.limit
    let more = refusals.count > limit ? ["and \(refusals.count - limit) more"] : []
    throw Problem(.conflict, (refusals.prefix(limit) + more).joined(separator: "\n"))
  }
}

extension CatalogueTable.Stored {
  /// Whether the two are the same to the byte; `==` of texts holds what looks the same for equal.
  fileprivate func isIdentical(to other: Self) -> Bool {
    id == other.id && values.count == other.values.count
      && zip(values, other.values).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
  }
}
