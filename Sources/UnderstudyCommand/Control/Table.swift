import Understudy

/// Rows in columns that are as wide as what has been in them so far: those that are printed together stand in line, and
/// none of them is kept.
struct Table {
  private let columns: [String]
  private var widths: [Int]
  private var hasBegun = false

  init(_ columns: [String]) {
    self.columns = columns
    widths = columns.map(\.count)
  }

  /// Prints rows; before the first ones what the columns are called.
  mutating func print(_ rows: [[String]]) {
    let rows = rows.map { $0.map(\.printable) }
    for row in rows {
      for (column, text) in row.enumerated() { widths[column] = max(widths[column], text.count) }
    }
    for row in (hasBegun ? [] : [columns]) + rows {
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      // Nothing stands behind the last one.
      UnderstudyCommand.print((cells.dropLast() + [row.last ?? ""]).joined(separator: "  "))
    }
    hasBegun = true
  }
}

extension String {
  /// The text with its control characters, and others that nobody sees, escaped: anybody can sign up under a name that
  /// would speak to the terminal.
  var printable: String {
    guard unicodeScalars.contains(where: \.isUnseen) else { return self }
    return unicodeScalars.map { $0.isUnseen ? $0.escaped(asASCII: true) : String($0) }.joined()
  }
}
