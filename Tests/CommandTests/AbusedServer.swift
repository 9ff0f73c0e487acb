import Foundation
import TestSupport
import Testing

/// The program with some data in it, and what the system says of the process.
final class AbusedServer {
  let process: ServerProcess
  let honest: HonestClients
  private let folder: TemporaryFolder

  var port: UInt16 { process.port }

  /// What a photograph has in bytes: more than sockets hold.
  private static let photo = 8 << 20

  init(_ options: [String]) throws {
    folder = try TemporaryFolder()
    let images = folder.url.appending(path: "images")
    try FileManager.default.createDirectory(at: images, withIntermediateDirectories: true)
    try Data(count: Self.photo).write(to: images.appending(path: "photo.jpg"))
    // As few open files as a shell allows: what the program needs it has to ask for itself.
    process = try ServerProcess(
      ["--data", folder.path] + options,
      launcher: ["/bin/sh", "-c", "ulimit -S -n 1024 && exec \"$0\" \"$@\""])
    let client = try RawClient(port: process.port)
    func post(_ path: String, _ body: String) throws -> String {
      try client.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      let answer = try client.response()
      try #require(answer.status == 200, "\(answer.text)")
      return answer.text
    }
    _ = try post("/invasive/users", #"{"username":"ada","password":"pw"}"#)
    let key = try post("/directory/users", #"{"name":"ada","password":"pw"}"#)
    for office in 1...20 {
      _ = try post("/directory/people/\(key)", #"{"name":"Grace","office":"\#(office)"}"#)
    }
    // A full page of sightings, the longest answer that there is.
    let comment = String(repeating: "x", count: 9000)
    let sighting = #"{"user":1,"species":2,"park":1,"comment":"\#(comment)","date":""}"#
    for _ in 1...120 { _ = try post("/invasive/observations", sighting) }
    honest = HonestClients(port: process.port, key: key)
  }

  #if os(Linux)
    /// How many descriptors the process has open.
    var descriptors: Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count)
        ?? -1
    }

    /// How many there are once those of clients that have just left are closed.
    func settledDescriptors() -> Int {
      var (last, count) = (Int.max, descriptors)
      while count < last {
        usleep(50_000)
        (last, count) = (count, descriptors)
      }
      return count
    }

    /// How many it may open later for itself: each thread that serves has its own of the database.
    static let lateDescriptors = 2 * ProcessInfo.processInfo.activeProcessorCount

    /// The memory that it has, in MiB.
    var memory: Double {
      let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      return (line?.split { !$0.isNumber }.first.flatMap { Double($0) } ?? .infinity) / 1024
    }

    /// Waits until something is so.
    ///
    /// - Returns: false when `seconds` have passed and it isn't.
    func wait(seconds: Double, until isSo: () -> Bool) -> Bool {
      let start = ContinuousClock.now
      while !isSo() {
        guard ContinuousClock.now - start < .seconds(seconds) else { return false }
        usleep(10_000)
      }
      return true
    }
  #endif
}
