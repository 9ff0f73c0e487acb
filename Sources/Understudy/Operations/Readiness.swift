import HTTP
import SQLite
import Threads

/// `/readyz`: whether a change that came now would be written, without one being written for each probe.
///
/// That the server is shutting down, every request is told before it comes here.
struct Readiness: Sendable {
  private let folder: String
  private let threshold: Int
  private let patience: Double
  private let writer: Writer

  /// - Parameters:
  ///   - folder: the data folder.
  ///   - threshold: how many bytes its disk has to have left.
  ///   - patience: how long the writer may be at one transaction, in seconds.
  init(folder: String, threshold: Int, patience: Double, writer: Writer) {
    self.folder = folder
    self.threshold = threshold
    self.patience = patience
    self.writer = writer
  }

  func addRoutes(to router: inout Router) {
    router.get("/readyz", isRoutine: true) { _ in
      try requireDisk()
      try requireWriter()
      return .later { completion in
        let isAccepted = writer.check { error in
          if let error { completion.fail(Self.problem(error)) } else { completion.succeed(Liveness.answer) }
        }
        if !isAccepted {
          completion.fail(
            Self.notReady(
              "As many changes wait as --write-queue lets wait, so that more are refused",
              "wait, or raise that number"))
        }
      }
    }
  }

  private func requireDisk() throws(Problem) {
    guard let space = DiskSpace(at: folder) else {
      throw Self.notReady("The data folder is gone", "put it back and restart the server")
    }
    guard !space.isReadOnly else {
      throw Self.notReady("The data folder's disk is mounted read-only", "mount it for writing")
    }
    guard space.free >= threshold else {
      throw Self.notReady(
        "The data folder's disk has \(DiskSpace.text(space.free)) left, less than \(DiskSpace.text(threshold))",
        "make room on it, or lower --disk-threshold")
    }
  }

  private func requireWriter() throws(Problem) {
    guard let since = writer.busySince, case let now = MonotonicClock.now, now > since else { return }
    let seconds = Double(now - since) / 1e9
    guard seconds > patience else { return }
    throw Self.notReady(
      "The database has been at one transaction for \(Int(seconds)) seconds",
      "see whether its disk hangs or another program has the database open, and end that one")
  }

  private static func problem(_ error: SQLiteError) -> Problem {
    switch error {
    case .diskFull: notReady("The last change found the disk full", "make room on it")
    case .inputOutput:
      notReady(
        "The last change couldn't be written to the disk", "see what the log says, and whether it fails")
    case .busy: notReady("Another program holds the database", "end that one")
    case .moved:
      notReady("The database file was moved or deleted", "stop the server, put the file back, and start it")
    case .notADatabase:
      notReady("The database is damaged", "stop the server, put a copy in its place, and start it")
    case .notUnique, .noSuchReference, .interrupted, .other:
      notReady("The database refused to begin a change", "see what the log says, and restart the server")
    }
  }

  private static func notReady(_ what: String, _ remedy: String) -> Problem {
    .unavailable("\(what): \(remedy).", retryAfter: 5)
  }
}
