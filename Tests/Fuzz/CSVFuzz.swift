import JSON

@testable import Understudy

/// A table as text, and as the fields that it is written from: what is written by RFC 4180 is read
/// back, by our writer and by one that quotes everything or ends lines otherwise. In the second reading of the
/// input the byte 1 ends a field and the byte 2 a row.
func fuzzCSV(_ input: [UInt8]) throws {
  var line = 1
  if let table = try? CSV(collectingMistakesIn: input) {
    for row in table.rows {
      try require(row.line > line, "rows go down the lines")
      line = row.line
    }
    for (mistake, next) in zip(table.mistakes, table.mistakes.dropFirst()) {
      try require(mistake.line <= next.line, "mistakes go down the lines")
    }
  }
  try requireRoundTrip(input)
  let text = input.shown
  let defused = Formula.defused(text)
  try require(Array(Formula.restored(defused).utf8) == Array(text.utf8), "back from \(defused)")
  let isSafe = defused.unicodeScalars.first.map { !"=+-@\t\r\n".unicodeScalars.contains($0) } ?? true
  try require(isSafe, "no formula in \(defused)")
}

private func requireRoundTrip(_ input: [UInt8]) throws {
  let rows = input.split(separator: 2, omittingEmptySubsequences: false).prefix(8).map { row in
    row.split(separator: 1, omittingEmptySubsequences: false).prefix(8).map(\.shown)
  }
  let width = rows.map(\.count).max() ?? 1
  let columns = (0..<width).map { "column \($0), \"quoted\"" }
  let table = rows.map { $0 + Array(repeating: "", count: width - $0.count) }
  let written = ByteBuffer()
  for row in [columns] + table { written.append(csvRecord: row) }
  try requireSame(written.text, columns, table)
  for (isAlwaysQuoted, end) in [(true, "\r\n"), (false, "\n")] {
    let text = ([columns] + table).map { row in
      row.map { quoted($0, isAlwaysQuoted: isAlwaysQuoted || width == 1) }.joined(separator: ",") + end
    }.joined()
    try requireSame(text, columns, table)
  }
}

private func requireSame(_ text: String, _ columns: [String], _ table: [[String]]) throws {
  let read = try CSV(text).rows.map { row in try columns.map { try row.text($0) } }
  try require(
    read.map { $0.map { Array($0.utf8) } } == table.map { $0.map { Array($0.utf8) } }, "back from \(text)")
}

private func quoted(_ field: String, isAlwaysQuoted: Bool) -> String {
  let needsQuotes = isAlwaysQuoted || field.unicodeScalars.contains { "\",\r\n".unicodeScalars.contains($0) }
  guard needsQuotes else { return field }
  var doubled = String.UnicodeScalarView()
  for scalar in field.unicodeScalars {
    doubled.append(scalar)
    if scalar == "\"" { doubled.append(scalar) }
  }
  return "\"" + String(doubled) + "\""
}
