import Files
import HTTPClient
import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Command {
  /// What is written to standard output.
  static let exports = ["species", "parks", "users", "observations", "people"].map { table in
    Command(
      name: "export \(table)",
      summary: "Writes the \(table) to standard output. No password and no key is ever in it.",
      options: [
        .data, .value("format", "FORMAT", "csv, which is the default, or json."),
        .action("bom", "Begins CSV with a byte order mark, by which Excel knows UTF-8."),
      ],
      run: { arguments throws(UsageError) in
        let format = arguments["format"] ?? "csv"
        guard ["csv", "json"].contains(format) else {
          throw arguments.refused("format", format, expected: "csv or json")
        }
        let hasMark = try arguments.isOn("bom")
        guard !hasMark || format == "csv" else { throw UsageError("--bom belongs to --format csv") }
        return control(arguments.dataFolder, onlyReads: true) { client throws(ControlClient.Failure) in
          try export(
            "/export/\(table)?format=\(format)", of: client, beginningWith: hasMark ? [0xEF, 0xBB, 0xBF] : [])
        }
      })
  }

  /// Writes piece after piece.
  private static func export(
    _ path: String, of client: ControlClient, beginningWith mark: [UInt8]
  ) throws(ControlClient.Failure) {
    var prefix = mark
    try client.eachPiece(from: path) { piece throws(ControlClient.Failure) in
      guard writeAll(prefix + piece.body, to: STDOUT_FILENO) else {
        throw ControlClient.Failure(
          description:
            "can't write all of it (\(String(cString: strerror(errno)))): what was written is not whole")
      }
      prefix = []
    }
  }
}
