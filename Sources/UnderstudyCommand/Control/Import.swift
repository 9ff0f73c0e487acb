extension Command {
  /// The most bytes of a file that is imported: more than the rows that there may be can have.
  static let importLimit = 16 << 20

  /// What is done with the tables of the catalogue.
  static let imports = ["species", "parks"].map { table in
    Command(
      name: "import \(table)",
      summary:
        "Makes the \(table) those of a CSV file, ids included: 'understudy export \(table)' writes one to begin with.",
      options: [
        .data, .create,
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
        guard let bytes = readWhole(arguments.operands[0], limit: importLimit) else { return failure }
        let makesFolder = try arguments.isOn("create")
        guard !makesFolder || !isTrial else {
          throw UsageError("--dry-run changes nothing: it doesn't go with --create")
        }
        return control(arguments.dataFolder, makesFolder: makesFolder) {
          client throws(ControlClient.Failure) in
          let answer = try client.send(
            "POST", "/import/\(table)?\(flags.joined(separator: "&"))", body: bytes, type: "text/csv")
          print(answer.object.text("summary").printableLines)
          if isTrial { print("nothing was changed (--dry-run)") }
        }
      })
  }
}

extension String {
  /// Several lines, each as `printable` has it.
  var printableLines: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(
      separator: "\n")
  }
}
