/// Rows in columns that are as wide as what is in them.
struct Table {
  private let columns: [String]
  private var rows: [[String]] = []

  init(_ columns: [String]) { self.columns = columns }

  mutating func append(_ row: [String]) { rows.append(row.map(\.printable)) }

  func print() {
    let widths = columns.indices.map { column in
      ([columns] + rows).map { $0[column].count }.max() ?? 0
    }
    for row in [columns] + rows {
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      // Nothing stands behind the last one.
      let line = (cells.dropLast() + [row.last ?? ""]).joined(separator: "  ")
      Swift.print(line)
    }
  }
}

extension String {
  /// The text with its control characters escaped: anybody can sign up under a name that would speak to the
  /// terminal.
  var printable: String {
    unicodeScalars.contains { $0.properties.generalCategory == .control }
      ? unicodeScalars.map {
        $0.properties.generalCategory == .control ? $0.escaped(asASCII: true) : String($0)
      }
      .joined() : self
  }
}
