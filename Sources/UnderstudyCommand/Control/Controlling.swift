import Files
import JSON

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Option {
  /// The data folder that a command is about.
  static let data = Option("data", "FOLDER", "The data folder.", standard: "./data")
  /// Of commands that can be the first to have something to do with a data folder.
  static let create = Option.action("create", "Makes the data folder, where there is none yet.")
}

extension Arguments {
  /// The data folder that a command is about.
  var dataFolder: String { self["data"] ?? "./data" }
}

extension Command {
  /// Does something with the help of whoever has the data folder.
  ///
  /// - Parameters:
  ///   - makesFolder: whether a folder that isn't there is made; nil where that makes no sense.
  ///   - onlyReads: whether nothing in it is to be changed.
  /// - Returns: the exit status; what went wrong has been said.
  static func control(
    _ folder: String, makesFolder: Bool? = nil, onlyReads: Bool = false,
    _ body: (ControlClient) throws(ControlClient.Failure) -> Void
  ) -> Int32 {
    do throws(ControlClient.Failure) {
      try body(try ControlClient.open(dataFolder: folder, makesFolder: makesFolder, onlyReads: onlyReads))
      return success
    } catch {
      for line in error.description.split(separator: "\n") { complain(String(line).printable) }
      return failure
    }
  }

  /// Reads a file to its end; `-` is standard input.
  ///
  /// - Parameter limit: the most bytes that make sense.
  /// - Returns: nil where it can't be read, which has been said.
  static func readWhole(_ path: String, limit: Int = .max) -> [UInt8]? {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    defer { if descriptor > STDIN_FILENO { close(descriptor) } }
    if descriptor >= 0, let bytes = contents(of: descriptor, limit: limit) { return bytes }
    complain(
      errno == EFBIG
        ? "\(path) has more than \(limit >> 20) MiB: that can't be the right file"
        : "can't read \(path) (\(String(cString: strerror(errno))))")
    return nil
  }
}

extension [UInt8] {
  /// A JSON object as the body of a request.
  static func object(
    _ texts: [(String, String)], numbers: [(String, Int64)] = [], flags: [String] = []
  ) -> [UInt8] {
    let body = ByteBuffer(capacity: 256)
    var isFirst = true
    func begin(_ name: String) {
      body.append(isFirst ? UInt8(ascii: "{") : UInt8(ascii: ","))
      isFirst = false
      body.append(jsonString: name)
      body.append(UInt8(ascii: ":"))
    }
    for (name, text) in texts {
      begin(name)
      body.append(jsonString: text)
    }
    for (name, number) in numbers {
      begin(name)
      body.append(number)
    }
    for name in flags {
      begin(name)
      body.append("true" as StaticString)
    }
    if isFirst { body.append(UInt8(ascii: "{")) }
    body.append(UInt8(ascii: "}"))
    return Array(body.bytes)
  }
}
