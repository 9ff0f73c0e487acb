import JSON
import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Command {
  static let backup = Command(
    name: "backup",
    summary:
      "Writes a backup of all that the data folder keeps, beside a server too: the database, the photographs and the certificates. It is as secret as the folder.",
    options: [
      .data,
      .value("keep", "NUMBER", "How many dated backups stay in the folder; the oldest are removed."),
    ],
    operand: Operand(
      "FILE", "Where to; in a folder it gets a dated name. Only a backup from before is replaced."),
    run: { arguments throws(UsageError) in
      let place = arguments.operands[0]
      var numbers: [(String, Int64)] = []
      if let keep = try arguments.number("keep", in: 1...100_000) { numbers.append(("keep", Int64(keep))) }
      guard let path = absolute(place) else {
        complain("can't find out where \(place) is (\(String(cString: strerror(errno))))")
        return failure
      }
      let body = [UInt8].object([("path", path)], numbers: numbers)
      return control(arguments.dataFolder, onlyReads: true) { client throws(ControlClient.Failure) in
        let made = try client.send("POST", "/backup", body: body).object
        print("\(made.text("path").printable): \(contents(of: made)); \(size(made.number("bytes")))")
        for name in made.texts("leftOut") {
          complain("\(name.printable) is too long for a backup: copy it yourself")
        }
        for name in made.texts("removed") { print("removed \(name.printable)") }
        let strange = made.number("strange")
        if strange > 0 {
          complain(
            "\(counted(strange, "other file", "other files")) with such a name stay: they are no backups of this data folder"
          )
        }
      }
    })

  static let restore = Command(
    name: "restore",
    summary:
      "Puts a backup in the place of what the data folder holds, which is kept aside. No server may have the folder.",
    options: [.data],
    operand: Operand("FILE", "The backup; another copy of a database of understudy will do too."),
    run: { arguments throws(UsageError) in
      do throws(Restoration.Failure) {
        let file = arguments.operands[0]
        let done = try Restoration.restore(file, into: arguments.dataFolder)
        let kind = done.isNew ? "the new folder " : ""
        print(
          "restored \(file.printable) into \(kind)\(arguments.dataFolder.printable): \(contents(of: done.contents))"
        )
        if let aside = done.aside { print("what was there before is in \(aside.printable)") }
        return success
      } catch {
        complain(error.description.printable)
        return failure
      }
    })

  /// The path from the root on; nil where the working folder isn't known.
  private static func absolute(_ path: String) -> String? {
    if path.hasPrefix("/") { return path }
    guard let folder = getcwd(nil, 0) else { return nil }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }

  private static func contents(of made: JSONObject) -> String {
    contents(
      of: Restoration.Contents(
        users: made.number("users"), observations: made.number("observations"),
        directories: made.number("directories"), people: made.number("people"), images: made.number("images"),
        certificates: made.number("certificates")))
  }

  private static func contents(of made: Restoration.Contents) -> String {
    var parts = [
      "\(counted(made.users, "user", "users")) with \(counted(made.observations, "observation", "observations"))",
      "\(counted(made.directories, "directory", "directories")) with \(counted(made.people, "person", "people"))",
    ]
    if made.images > 0 { parts.append(counted(made.images, "photograph", "photographs")) }
    if made.certificates > 0 { parts.append("the certificate authority") }
    return parts.joined(separator: ", ")
  }

  private static func counted(_ number: Int64, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }

  private static func size(_ bytes: Int64) -> String {
    let tenths = bytes / 100_000
    return tenths >= 10 ? "\(tenths / 10).\(tenths % 10) MB" : "\(bytes / 1000) kB"
  }
}
