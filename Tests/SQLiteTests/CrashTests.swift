import Foundation
import SQLite
import TestSupport
import Testing

/// As SQLite's own tests do it (https://sqlite.org/testing.html, "I/O Error Testing", "Crash Testing"):
/// each operation of a workload on the disk is once the one that goes wrong.
@Suite("On a disk that fails")
struct CrashTests {
  /// How many ways in which what wasn't synced may survive are tried for each power cut.
  static let seeds = UInt64(ProcessInfo.processInfo.environment["UNDERSTUDY_CRASH_SEEDS"] ?? "") ?? 4

  /// The operations of a workload in which nothing goes wrong.
  private static func operations(setup: String = CrashWorkload.setup) throws -> Int {
    let disk = try SimulatedDisk()
    let workload = CrashWorkload(on: disk, setup: setup)
    workload.run()
    let expected = Notebook(CrashWorkload.batches.joined().flatMap { $0 })
    let connection = try Connection(path: disk.path(CrashWorkload.fileName), access: .readOnly)
    #expect(try Notebook(of: connection) == expected)
    return disk.operations
  }

  /// Opens what a power cut has left as the program would, and says what is wrong with it.
  private static func defect(
    of files: [String: Data], after workload: CrashWorkload, cutAgainAt operation: Int? = nil
  ) throws -> String? {
    let disk = try SimulatedDisk(files: files)
    let path = disk.path(CrashWorkload.fileName)
    do {
      if let operation {
        disk.plan(.powerCut, from: operation)
        _ = try? Database(path: path, schema: Notebook.schema(version: 2))
        return try defect(of: disk.survivors(seed: UInt64(operation)), after: workload)
      }
      let database = try Database(path: path, schema: Notebook.schema(version: 2))
      let connection = try database.writer()
      let found = try Notebook(of: connection)
      let acknowledged = Notebook(workload.acknowledged)
      guard found == acknowledged || found == Notebook(workload.acknowledged + workload.pending) else {
        let lost = acknowledged.notes.keys.filter { found.notes[$0] == nil }.sorted()
        return "it has neither what was acknowledged nor the next batch too; lost are the notes \(lost)"
      }
      try connection.run("INSERT INTO note (text, length) VALUES ('after it', 8)")
      let verdict = try connection.row("PRAGMA integrity_check") { $0.text(0) }
      let orphans = try connection.rows("PRAGMA foreign_key_check") { $0.text(0) }
      guard verdict == "ok", orphans.isEmpty else {
        return "integrity_check: \(verdict ?? ""), orphans: \(orphans)"
      }
      // What one start has mended the next one has to know for its own.
      _ = try Database(path: path, schema: Notebook.schema(version: 2))
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Cuts the power at each operation.
  ///
  /// - Parameter stopsAtFirst: whether one defect is enough.
  /// - Returns: what was wrong afterwards, and how many power cuts there were.
  private static func cutEverywhere(
    setup: String = CrashWorkload.setup, stopsAtFirst: Bool = false
  ) throws -> (defects: [String], cuts: Int) {
    var defects: [String] = []
    var cuts = 0
    for operation in 1...(try operations(setup: setup)) {
      let disk = try SimulatedDisk()
      disk.plan(.powerCut, from: operation)
      let workload = CrashWorkload(on: disk, setup: setup)
      workload.run()
      for seed in 0..<seeds {
        cuts += 1
        let files = try disk.survivors(seed: UInt64(operation) << 32 | seed)
        // The last seed's power is cut once more, while the database is opened again.
        let again = seed == seeds - 1 ? operation % 16 + 1 : nil
        guard let defect = try defect(of: files, after: workload, cutAgainAt: again) else { continue }
        defects.append("operation \(operation), seed \(seed): \(defect)")
        if stopsAtFirst { return (defects, cuts) }
      }
    }
    return (defects, cuts)
  }

  @Test("what was acknowledged survives a power cut at any moment, and a batch whole or not at all")
  func powerCuts() throws {
    let (defects, cuts) = try Self.cutEverywhere()
    #expect(defects.isEmpty, "\(defects.count) of \(cuts) power cuts, the first: \(defects.prefix(10))")
    print("power cuts: \(cuts), each with \(Self.seeds) seeds")
  }

  @Test("a migration cut at any moment leaves what the old version reads, or what the new one does")
  func migration() throws {
    // A database of version 1, as the old program leaves it.
    let old = try SimulatedDisk()
    let changes = CrashWorkload.batches[0].flatMap { $0 }
    do {
      let database = try Database(path: old.path(CrashWorkload.fileName), schema: Notebook.schema(version: 1))
      let connection = try database.writer()
      for change in changes { try? connection.transaction { try change.make(on: connection) } }
    }
    let files = try old.survivors(seed: 0)
    let expected = try Notebook(
      of: Connection(path: old.path(CrashWorkload.fileName), access: .readOnly))
    #expect(!expected.notes.isEmpty)
    func migrate(_ disk: SimulatedDisk) -> Bool {
      (try? Database(path: disk.path(CrashWorkload.fileName), schema: Notebook.schema(version: 2))) != nil
    }
    let whole = try SimulatedDisk(files: files)
    #expect(migrate(whole))
    var versions: [Int: Int] = [:]
    for operation in 1...whole.operations {
      let disk = try SimulatedDisk(files: files)
      disk.plan(.powerCut, from: operation)
      _ = migrate(disk)
      for seed in 0..<Self.seeds {
        let after = try SimulatedDisk(files: disk.survivors(seed: UInt64(operation) << 32 | seed))
        let path = after.path(CrashWorkload.fileName)
        let comment: Comment = "operation \(operation), seed \(seed)"
        do {
          let database = try Database(path: path, schema: Notebook.schema(version: 1))
          #expect(try Notebook(of: database.reader()) == expected, comment)
          versions[1, default: 0] += 1
        } catch Database.OpenError.newer(version: 2, known: 1) {
          versions[2, default: 0] += 1
        }
        let database = try Database(path: path, schema: Notebook.schema(version: 2))
        let connection = try database.reader()
        #expect(try Notebook(of: connection) == expected, comment)
        let wrong = try connection.integer("SELECT count(*) FROM note WHERE length <> length(text)")
        #expect(wrong == 0, comment)
      }
    }
    // Cuts on both sides of the moment at which it is done.
    #expect(versions[1, default: 0] > 0)
    #expect(versions[2, default: 0] > 0)
  }

  @Test("what is written without waiting for the disk is found to be lost", arguments: ["NORMAL", "OFF"])
  func harness(synchronous: String) throws {
    let setup = CrashWorkload.setup + "; PRAGMA synchronous = \(synchronous)"
    #expect(try !Self.cutEverywhere(setup: setup, stopsAtFirst: true).defects.isEmpty)
  }

  @Test(
    "an operation that fails loses nothing of what was acknowledged, and the writer goes on by itself",
    arguments: [SimulatedDisk.Fault.error, .lostSync, .full], [1, 12])
  func failures(fault: SimulatedDisk.Fault, count: Int) throws {
    // Long failures overlap.
    for operation in stride(from: 1, through: try Self.operations(), by: max(1, count / 3)) {
      let disk = try SimulatedDisk()
      disk.plan(fault, from: operation, count: count)
      let workload = CrashWorkload(on: disk, goesOn: true)
      workload.run()
      #expect(disk.failures > 0)
      let expected = Notebook(workload.acknowledged)
      // Before a power cut and after it: nothing that failed has been done.
      for seed in 0..<2 {
        let after = seed == 0 ? disk : try SimulatedDisk(files: disk.survivors(seed: UInt64(seed)))
        let database = try Database(
          path: after.path(CrashWorkload.fileName), schema: Notebook.schema(version: 2))
        let connection = try database.reader()
        #expect(try Notebook(of: connection) == expected, "operation \(operation), seed \(seed)")
        let verdict = try connection.row("PRAGMA integrity_check") { $0.text(0) }
        #expect(verdict == "ok", "operation \(operation), seed \(seed)")
      }
    }
  }
}
