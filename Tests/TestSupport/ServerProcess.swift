import Foundation

/// Whether the tests and the program are built with a sanitizer (`script/sanitize`): then it means nothing how
/// long something takes, and how much memory.
public let isSanitized = ProcessInfo.processInfo.environment["UNDERSTUDY_SANITIZED"] != nil

/// The program as a user has it: a process, with its command line, its output and its end.
public final class ServerProcess: @unchecked Sendable {
  // Safe to share: used by one test at a time.

  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private let process = Process()
  private let output = Pipe()
  private let errors: URL
  private let ended = DispatchSemaphore(value: 0)
  /// What of standard output has come and not been asked for.
  private var unread: [UInt8] = []
  /// The lines of standard output up to the one that says where it listens for this machine.
  public private(set) var lines: [String] = []
  public private(set) var port: UInt16 = 0
  /// The first of its ports for HTTPS; 0 where it has none.
  public private(set) var httpsPort: UInt16 = 0

  /// The program, built beside the tests.
  public static var program: URL {
    let tests = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    // The test bundle of macOS lies some folders deeper.
    var folder = tests
    while folder.path != "/",
      !FileManager.default.isExecutableFile(atPath: folder.appending(path: "understudy").path)
    {
      folder.deleteLastPathComponent()
    }
    return folder.appending(path: "understudy")
  }

  /// Starts `understudy serve` and waits until it listens.
  ///
  /// - Parameters:
  ///   - port: where; 0 finds a free one.
  ///   - launcher: a program with its arguments that becomes the server in the end, as `nsenter` does.
  /// - Throws: `Failure` with what it wrote, where it ends instead.
  public init(
    _ arguments: [String], environment: [String: String] = [:], port wanted: UInt16 = 0,
    launcher: [String] = []
  ) throws {
    errors = FileManager.default.temporaryDirectory.appending(path: "understudy-\(UUID().uuidString).log")
    _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
    let command = launcher + [Self.program.path, "serve", "--port", "\(wanted)"] + arguments
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    process.terminationHandler = { [ended] _ in ended.signal() }
    try process.run()
    // One that neither listens nor ends holds up no test for ever.
    let identifier = process.processIdentifier
    let patience = DispatchWorkItem { kill(identifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: patience)
    defer { patience.cancel() }
    var line: String
    repeat {
      line = try nextLine()
      lines.append(line)
    } while !line.hasPrefix("listening on http://localhost:")
      && !line.hasPrefix("listening on http://127.0.0.1:")
    func number(in line: String?) -> UInt16 {
      line.flatMap { $0.split(separator: ":").last }.flatMap { UInt16($0) } ?? 0
    }
    port = number(in: lines.last)
    httpsPort = number(in: lines.first { $0.hasPrefix("listening on https://") })
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    try? FileManager.default.removeItem(at: errors)
  }

  /// The next line of standard output.
  ///
  /// - Throws: `Failure` with what it wrote to standard error, where it ends instead.
  public func nextLine() throws -> String {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeSubrange(...end) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let piece = output.fileHandleForReading.availableData
      guard !piece.isEmpty else {
        process.waitUntilExit()
        throw Failure(description: "it ended with \(process.terminationStatus): \(log)")
      }
      unread += piece
    }
  }

  public var processIdentifier: Int32 { process.processIdentifier }

  /// What it has written to standard error so far.
  public var log: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

  /// Sends a signal.
  public func signal(_ number: Int32) {
    kill(process.processIdentifier, number)
  }

  /// Waits for its end, and kills it where that doesn't come within half a minute.
  ///
  /// - Returns: the exit status, or the negative number of the signal that ended it.
  public func wait() -> Int32 {
    if ended.wait(timeout: .now() + 30) == .timedOut { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
      ? -process.terminationStatus : process.terminationStatus
  }

  /// Runs the program to its end, which is a signal's where it takes longer than a minute.
  ///
  /// - Parameter input: what it finds at its standard input, as much as a pipe holds.
  /// - Returns: its exit status and what it wrote to standard output and standard error.
  public static func run(
    _ arguments: [String], environment: [String: String] = [:], launcher: [String] = [], input: String = ""
  ) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    let (output, errors, feed) = (Pipe(), Pipe(), Pipe())
    try feed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try feed.fileHandleForWriting.close()
    process.standardInput = feed
    let command = launcher + [program.path] + arguments
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // With its number alone: until its time comes a call that was taken back still keeps what it holds, pipes and all.
    let end = DispatchWorkItem { [number = process.processIdentifier] in kill(number, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: end)
    defer { end.cancel() }
    let written = output.fileHandleForReading.readDataToEndOfFile()
    let complaints = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: written, as: UTF8.self),
      String(decoding: complaints, as: UTF8.self)
    )
  }
}
