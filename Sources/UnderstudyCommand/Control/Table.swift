import HTTPClient
import JSON

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

extension HTTPClient.Response {
  /// The answer's body; one without members where it is no object.
  var object: JSONObject {
    (try? JSONReader.object(in: body)) ?? JSONObject()
  }
}

extension JSONObject {
  /// A member's text; empty where there is none.
  func text(_ name: String) -> String {
    if case .string(let text, _)? = self[name] { text } else { "" }
  }

  /// A member's whole number; 0 where there is none.
  func number(_ name: String) -> Int64 { self[name]?.wholeNumber ?? 0 }

  /// The objects in a member that is an array.
  func objects(_ name: String) -> [JSONObject] {
    guard case .array(let raw)? = self[name], let elements = try? JSONReader.elements(of: raw) else {
      return []
    }
    return elements.compactMap { element in
      if case .object(let raw) = element { try? JSONReader.object(in: Array(raw)) } else { nil }
    }
  }
}
