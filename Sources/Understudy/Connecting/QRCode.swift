import CQREncode

/// A QR code (ISO/IEC 18004), which a phone's camera reads off a screen.
struct QRCode {
  /// How many modules it is wide and high, without the margin.
  let width: Int
  /// Whether a module is dark, row by row.
  private let isDark: [Bool]

  /// The margin that a reader needs around it, in modules (section 5.3.8).
  private static let margin = 4

  /// - Parameter text: what it says; nil where that is more than a code holds, some 2300 bytes.
  init?(_ text: String) {
    // The call takes a C string, which ends at a NUL. Level M: 15 % may be dirt or a reflection.
    guard !text.utf8.contains(0), let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else {
      return nil
    }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    guard let modules = code.pointee.data else { return nil }
    self.width = width
    isDark = (0..<width * width).map { modules[$0] & 1 == 1 }
  }

  /// The code as an `svg` element, one unit a module: black on white in a dark page too, since not
  /// every camera reads it the other way round.
  ///
  /// - Parameter label: what it says, for who doesn't see it; escaped already.
  func svg(label: String) -> String {
    var path = ""
    for row in 0..<width {
      var column = 0
      while column < width {
        guard isDark[row * width + column] else {
          column += 1
          continue
        }
        let start = column
        while column < width, isDark[row * width + column] { column += 1 }
        path += "M\(start + Self.margin) \(row + Self.margin)h\(column - start)v1h-\(column - start)z"
      }
    }
    let side = width + 2 * Self.margin
    return """
      <svg role="img" aria-label="\(label)" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
      <path fill="#fff" d="M0 0h\(side)v\(side)H0z"/><path d="\(path)"/></svg>
      """
  }
}
