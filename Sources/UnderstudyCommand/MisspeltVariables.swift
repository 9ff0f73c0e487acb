#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Variables of the environment that look like one of this program's and are none: nobody sees that they do nothing.
enum MisspeltVariables {
  private static let prefix = "UNDERSTUDY_"
  /// How many characters may be wrong. Others have variables with this beginning too, as Kubernetes for a service of this
  /// name.
  private static let typos = 2

  /// Says of each which was meant.
  static func complain() {
    let known = Set(Command.all.flatMap(\.options).compactMap(\.variable))
    for name in names where name.hasPrefix(prefix) && !known.contains(name) {
      let near = known.map { (distance: distance(name, $0), name: $0) }.min { $0 < $1 }
      guard let near, near.distance <= typos else { continue }
      Command.complain("there is no variable \(name.printable), and it does nothing: is \(near.name) meant?")
    }
  }

  private static var names: [String] {
    var names: [String] = []
    var next = environ
    while let entry = next.pointee {
      names.append(String(String(cString: entry).prefix { $0 != "=" }))
      next += 1
    }
    return names.sorted()
  }

  /// How many characters have to be put in, left out, changed or swapped with the next to make one text of the other
  /// (the Damerau–Levenshtein distance in its restricted form).
  private static func distance(_ one: String, _ other: String) -> Int {
    let (one, other) = (Array(one), Array(other))
    var rows = [Array(0...other.count)]
    for i in one.indices {
      var row = [i + 1]
      for j in other.indices {
        var least = min(rows[i][j] + (one[i] == other[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
          least = min(least, rows[i - 1][j - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
