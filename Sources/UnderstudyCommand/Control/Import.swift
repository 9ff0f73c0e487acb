import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Command {
  /// The most bytes of a file that is imported: more than the rows that there may be can have.
  private static let importLimit = 16 << 20

  /// What is done with the tables of the catalogue.
  static let imports = ["species", "parks"].map { table in
    Command(
      name: "import \(table)",
      summary:
        "Makes the \(table) those of a CSV file, ids included: 'understudy export \(table)' writes one to begin with.",
      options: [
        .data,
        .action("dry-run", "Says what would be changed, and changes nothing."),
        .action(
          "allow-renaming",
          "Takes another name for an id that observations refer to: a correction. Otherwise that is refused."),
      ],
      operand: Operand("FILE", "The file; - for standard input."),
      run: { arguments throws(UsageError) in
        let isTrial = try arguments.isOn("dry-run")
        let flags =
          (isTrial ? ["dry-run"] : []) + (try arguments.isOn("allow-renaming") ? ["allow-renaming"] : [])
        let file = arguments.operands[0]
        guard let bytes = contents(of: file) else { return failure }
        return control(arguments.dataFolder, makesFolder: !isTrial) { client throws(ControlClient.Failure) in
          let answer = try client.send(
            "POST", "/import/\(table)?\(flags.joined(separator: "&"))", body: bytes, type: "text/csv")
          print(answer.object.text("summary").printableLines)
          if isTrial { print("nothing was changed (--dry-run)") }
        }
      })
  }

  /// What is in a file; nil, and says why, where it can't be read.
  private static func contents(of file: String) -> [UInt8]? {
    let descriptor = file == "-" ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      complain("can't read \(file) (\(String(cString: strerror(errno))))")
      return nil
    }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var contents: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count == 0 { return contents }
      guard count > 0 else {
        complain("can't read \(file) (\(String(cString: strerror(errno))))")
        return nil
      }
      contents += piece[..<count]
      guard contents.count <= importLimit else {
        complain("\(file) has more than \(importLimit >> 20) MiB: no table of the catalogue is as long")
        return nil
      }
    }
  }
}

extension String {
  /// Several lines, each as `printable` has it.
  var printableLines: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(
      separator: "\n")
  }
}
