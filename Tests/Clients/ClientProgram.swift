import Foundation
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A client that isn't ours, as a process: its command line, its output, and its end, which comes in
/// time or is made to come.
struct ClientProgram: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// What a program has left behind.
  struct Result: Sendable {
    /// The exit status, or the negative number of the signal that ended it.
    let status: Int32
    let bytes: Data
    let errors: String

    var output: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// The folder of these tests, in which the clients' own files lie.
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  /// The program as it is typed, `curl`, or its path.
  let name: String

  /// Where it is; nil where it isn't installed.
  var path: String? {
    if name.contains("/") { return FileManager.default.isExecutableFile(atPath: name) ? name : nil }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Whether the tests of a client are to run. On Linux, where `script/test` installs what they need, and
  /// in CI they always are, and a missing program is a failure; on macOS only where all of it is found.
  ///
  /// - Parameter paths: programs as they are typed, and paths of files.
  static func isWanted(_ paths: String...) -> Bool {
    #if os(Linux)
      return true
    #else
      if ProcessInfo.processInfo.environment["CI"] == "true" { return true }
      return paths.allSatisfy {
        ClientProgram(name: $0).path != nil || FileManager.default.fileExists(atPath: $0)
      }
    #endif
  }

  /// Runs it to its end.
  ///
  /// - Parameters:
  ///   - input: what it reads from standard input.
  ///   - seconds: after which it is told to end, and killed where that doesn't help.
  /// - Throws: `Failure` with its output where it didn't end by itself, or isn't installed.
  func run(_ arguments: [String], input: Data = Data(), seconds: Double = 60) async throws -> Result {
    guard let path else {
      throw Failure(description: "\(name) isn't installed; 'script/bootstrap --clients' installs it")
    }
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "understudy-client-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files, so that nothing that the program has started can hold up the reading of its output.
    let (output, errors) = (folder.appending(path: "output"), folder.appending(path: "errors"))
    let inputFile = folder.appending(path: "input")
    try input.write(to: inputFile)
    for file in [output, errors] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 }
    process.standardInput = try FileHandle(forReadingFrom: inputFile)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    let isLate = try await end(of: process, seconds: seconds)
    let result = Result(
      status: process.terminationReason == .uncaughtSignal
        ? -process.terminationStatus : process.terminationStatus,
      bytes: try Data(contentsOf: output),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    guard !isLate else {
      throw Failure(
        description: "\(name) didn't end within \(seconds) s:\n\(result.output)\n\(result.errors)")
    }
    return result
  }

  /// Runs it, and records an issue with all that it wrote where its exit status isn't 0.
  ///
  /// - Returns: what it wrote to standard output.
  @discardableResult func succeed(
    _ arguments: [String], input: Data = Data(), sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let result = try await run(arguments, input: input)
    if result.status != 0 {
      Issue.record(
        "\(name) ended with \(result.status):\n\(result.output)\n\(result.errors)",
        sourceLocation: sourceLocation)
    }
    return result.output
  }

  /// Starts a process and waits for its end, which it is helped to after a time; what it has started
  /// goes with it.
  ///
  /// - Returns: whether it had to be helped.
  private func end(of process: Process, seconds: Double) async throws -> Bool {
    let clock = ContinuousClock()
    let start = clock.now
    let isLate = try await withCheckedThrowingContinuation { continuation in
      // Here, and not when this test goes on: that may wait for others.
      process.terminationHandler = { _ in
        continuation.resume(returning: clock.now - start >= .seconds(seconds))
      }
      do {
        try process.run()
      } catch {
        process.terminationHandler = nil
        return continuation.resume(throwing: error)
      }
      let identifier = process.processIdentifier
      for (signal, delay) in [(SIGTERM, seconds), (SIGKILL, seconds + 5)] {
        let isRunning = Unchecked(value: process)
        DispatchQueue.global().asyncAfter(deadline: .now() + delay) {
          if isRunning.value.isRunning { Self.send(signal, to: identifier) }
        }
      }
    }
    // Its identifier stays that of its group while any of the group is there.
    if getpgrp() != process.processIdentifier { kill(-process.processIdentifier, SIGKILL) }
    return isLate
  }

  /// Signals a process and, where it leads one, its group.
  private static func send(_ signal: Int32, to process: Int32) {
    if getpgid(process) == process { kill(-process, signal) } else { kill(process, signal) }
  }

  /// Safe to share: only asked whether it runs.
  private struct Unchecked: @unchecked Sendable {
    let value: Process
  }
}

/// Starts the program as a user does, with data that goes with it, and ends it after the test.
///
/// - Parameter arguments: of `understudy serve`.
/// - Returns: its log.
@discardableResult func withServer(
  _ arguments: [String] = [], sourceLocation: SourceLocation = #_sourceLocation,
  _ body: (ServerProcess) async throws -> Void
) async throws -> String {
  let server = try ServerProcess(["--ephemeral"] + arguments)
  let result: Result<Void, any Error>
  do { result = .success(try await body(server)) } catch { result = .failure(error) }
  server.signal(SIGTERM)
  #expect(server.wait() == 0, "\(server.log)", sourceLocation: sourceLocation)
  try result.get()
  return server.log
}
