import JSON

/// The rows of a table of the catalogue that keep to its rules, wherever they come from: a file, another server, the
/// program itself.
struct CatalogueRows: Sendable {
  struct Row: Sendable {
    let id: Int64
    /// By column; nil for what was not given, and stays as it is.
    let values: [String?]
    /// What the id means.
    var name: String { values.first.flatMap(\.self) ?? "" }
  }

  /// What is wrong, all of it up to a limit: a line for each.
  struct Mistakes: Error, CustomStringConvertible {
    /// How many are told.
    static let limit = 50

    /// Each with its place, by which they are in order.
    fileprivate var found: [(place: Int, line: String)] = []

    var description: String {
      let lines = found.sorted { $0.place < $1.place }.map(\.line)
      guard lines.count > Self.limit else { return lines.joined(separator: "\n") }
      return lines[..<Self.limit].joined(separator: "\n") + "\nand \(lines.count - Self.limit) more"
    }
  }

  let table: CatalogueTable
  let rows: [Row]

  private init(of table: CatalogueTable, _ read: (inout Reading) -> Void) throws(Mistakes) {
    var reading = Reading(table: table)
    read(&reading)
    // An empty table would be filled with what the program carries, at the next start.
    if reading.rows.isEmpty, reading.mistakes.found.isEmpty { reading.add("there are no \(table.rawValue)") }
    guard reading.mistakes.found.isEmpty else { throw reading.mistakes }
    self.table = table
    rows = reading.rows
  }

  /// Reads a CSV file whose first line names the columns: `id`, and those of the table, in any order. What
  /// `Formula.defused` put before a field is taken away.
  ///
  /// - Throws: `Mistakes`, each with its line.
  init(_ table: CatalogueTable, csv bytes: [UInt8]) throws(Mistakes) {
    try self.init(of: table) { reading in
      do throws(CSV.Malformed) {
        let file = try CSV(collectingMistakesIn: bytes)
        for mistake in file.mistakes { reading.add(mistake.reason, at: mistake.line, "line \(mistake.line)") }
        guard reading.knows(file.columns) else { return }
        for row in file.rows where !row.fields.allSatisfy(\.isEmpty) {
          let id = row["id"] ?? ""
          reading.add(
            id: Int64(wholeNumber: id.utf8), written: "'\(id)'",
            table.columns.map { row[$0.name].map(Formula.restored) }, at: row.line, "line \(row.line)")
        }
      } catch {
        reading.add(error.reason, at: error.line, "line \(error.line)")
      }
    }
  }

  /// Reads a list as both apps get it: objects with the id and the columns that they know, and perhaps others.
  ///
  /// - Throws: `Mistakes`, each with the object's number.
  init(_ table: CatalogueTable, json bytes: [UInt8]) throws(Mistakes) {
    try self.init(of: table) { reading in
      do throws(JSONError) {
        for (index, value) in try JSONReader.elements(of: bytes[...]).enumerated() {
          let place = "\(table.noun) \(index + 1) of the list"
          if case .object(let raw) = value, let object = try? JSONReader.object(in: Array(raw)) {
            reading.add(object, at: index + 1, place)
          } else {
            reading.add("\(value.kind) where an object was expected", at: index + 1, place)
          }
        }
      } catch {
        reading.add("not the list of \(table.rawValue) that was expected; \(error.description)")
      }
    }
  }
}

/// Rows on their way through the rules.
private struct Reading {
  let table: CatalogueTable
  var rows: [CatalogueRows.Row] = []
  var mistakes = CatalogueRows.Mistakes()
  /// Where each id came first.
  private var places: [Int64: String] = [:]
  private var isFull = false

  init(table: CatalogueTable) { self.table = table }

  /// - Parameters:
  ///   - number: the place's number; 0 for the whole.
  ///   - place: the place in words.
  mutating func add(_ mistake: String, at number: Int = 0, _ place: String? = nil) {
    mistakes.found.append((number, (place.map { $0 + ": " } ?? "") + mistake))
  }

  /// Whether the columns of a file are those of the table; says what isn't right with them.
  mutating func knows(_ columns: [String]) -> Bool {
    let known = ["id"] + table.columns.map(\.name)
    let missing = known.prefix(1 + table.requiredColumns).filter { !columns.contains($0) }
    let unknown = columns.filter { !known.contains($0) }
    for column in missing { add("there is no column '\(column)'", at: 1, "line 1") }
    for column in unknown {
      add(
        "there is no column '\(column.printableStart)' in the table of \(table.rawValue): \(known.joined(separator: ", ")) are those that there are",
        at: 1, "line 1")
    }
    return missing.isEmpty && unknown.isEmpty
  }

  /// Adds an object of a list.
  mutating func add(_ object: JSONObject, at number: Int, _ place: String) {
    guard let id = object[table.idMember] else {
      return add("'\(table.idMember)' is missing or null", at: number, place)
    }
    var values: [String?] = []
    for (index, column) in table.columns.enumerated() {
      guard index < table.requiredColumns else {
        values.append(nil)
        continue
      }
      switch object[column.name] {
      case .string(let text, _): values.append(text)
      // Only what an id means has to be there.
      case nil where index > 0: values.append("")
      case let value:
        let kind = value?.kind ?? "missing or null"
        return add("'\(column.name)' is \(kind): a string is expected", at: number, place)
      }
    }
    add(id: id.wholeNumber, written: id.kind, values, at: number, place)
  }

  /// Adds a row, or says everything that is wrong with it.
  mutating func add(id: Int64?, written: String, _ values: [String?], at number: Int, _ place: String) {
    let before = mistakes.found.count
    guard rows.count < CatalogueTable.rowLimit else {
      if !isFull { add("more than \(CatalogueTable.rowLimit) rows", at: number, place) }
      isFull = true
      return
    }
    if let id, CatalogueTable.ids.contains(id) {
      if let first = places[id] {
        add("the id \(id) is that of \(first) too", at: number, place)
      } else {
        places[id] = place
      }
    } else {
      add("the id is \(written.printableStart): expected a whole number, 1 or more", at: number, place)
    }
    for (column, value) in zip(table.columns, values) {
      guard let value, let objection = column.rule.objection(to: value) else { continue }
      add("the \(column.name) \(objection)", at: number, place)
    }
    if let id, mistakes.found.count == before { rows.append(.init(id: id, values: values)) }
  }
}

extension String {
  /// The beginning of a text of any hand, for a sentence about it: without what would speak to a terminal.
  var printableStart: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.prefix(60).map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
      + (unicodeScalars.count > 60 ? "…" : "")
  }
}
