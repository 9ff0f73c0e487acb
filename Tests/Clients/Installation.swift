import Apps
import Foundation
import TestSupport
import Testing
import Threads

/// Gives a test an installation whose server has ended after it, whatever happens.
func withInstallation(_ body: (Installation) async throws -> Void) async throws {
  let installation = try Installation()
  defer { installation.remove() }
  try await body(installation)
}

/// A server on one data folder and one port, over all its starts and ends.
final class Installation: Sendable {
  let port: UInt16
  private let folder: URL
  private let process = Condition<ServerProcess?>(nil)

  /// Finds a free port; nothing is started yet.
  fileprivate init() throws {
    port = try LoopbackSocket.freePort()
    folder = FileManager.default.temporaryDirectory.appending(path: "understudy-clients-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// The app, which talks to the server without anything between.
  var app: InvasiveApp { InvasiveApp(base: "http://127.0.0.1:\(port)") }

  /// Starts the server and waits until it listens.
  func start() throws {
    try process.withLock { process in
      process = try ServerProcess(["--data", folder.path, "--log-level", "error"], port: port)
      #expect(process?.port == port)
    }
  }

  /// Ends it as Ctrl-C does.
  func stop() {
    #expect(end(by: SIGTERM) == 0)
  }

  /// Ends it as kill -9 and a power cut do, without a chance to finish anything.
  func kill() {
    #expect(end(by: SIGKILL) == -SIGKILL)
  }

  fileprivate func remove() {
    _ = end(by: SIGKILL)
    try? FileManager.default.removeItem(at: folder)
  }

  /// - Returns: the exit status; nil where none runs.
  private func end(by signal: Int32) -> Int32? {
    process.withLock { process in
      defer { process = nil }
      process?.signal(signal)
      return process?.wait()
    }
  }
}
