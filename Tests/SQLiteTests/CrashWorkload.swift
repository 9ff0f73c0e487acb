import SQLite
import TestSupport
import Testing
import Threads

/// A database's life on a disk that fails: made, written in batches and one by one, read meanwhile,
/// checkpointed every few pages, closed, migrated, written again. The same operations in the same order
/// each time, up to the first that fails.
final class CrashWorkload {
  private let disk: SimulatedDisk
  /// What the writer's connection runs first.
  private let setup: String
  /// Whether to go on after a failure; a power cut is the end.
  private let goesOn: Bool
  /// The changes that were reported done, in their order.
  private(set) var acknowledged: [Notebook.Change] = []
  /// Those of the first batch of which something failed.
  private(set) var pending: [Notebook.Change] = []

  /// Small pages of the log before each checkpoint, and a cache so small that changes spill into the log
  /// before they are committed.
  static let setup =
    "PRAGMA wal_autocheckpoint = 12; PRAGMA cache_size = 6; PRAGMA journal_size_limit = 30000"

  static let fileName = "notes.sqlite"

  init(on disk: SimulatedDisk, setup: String = setup, goesOn: Bool = false) {
    self.disk = disk
    self.setup = setup
    self.goesOn = goesOn
  }

  /// The batches: before and after the migration.
  static let batches: [[[Notebook.Change]]] = {
    func text(_ id: Int64, _ length: Int) -> String {
      String(repeating: "note \(id) ", count: length / 8 + 1)
    }
    func batch(_ number: Int64) -> [Notebook.Change] {
      let id = number * 10
      var changes: [Notebook.Change] = [.add(id, text(id, 60))]
      // Every third is alone in its transaction.
      guard number % 3 != 0 else { return changes }
      changes += [
        .add(id + 1, text(id + 1, number % 4 == 0 ? 9000 : 700)), .giveUp(id + 2),
        .add(id + 3, text(id + 3, 10)),
        .rewrite(id - 10, text(id, 300)), .remove(id - 19),
      ]
      return changes
    }
    return [(1...8).map(batch), (9...14).map(batch)]
  }()

  /// Lives through it all, or up to a power cut.
  func run() {
    for (version, batches) in zip(1..., Self.batches) {
      guard let (database, writer) = open(version: version) else { return }
      defer { writer.close() }
      let reader = try? database.reader()
      for (number, batch) in batches.enumerated() {
        // A reader that holds on to what it sees keeps a checkpoint from coming to its end.
        if number == 2 { try? reader?.execute("BEGIN; SELECT count(*) FROM note") }
        if number == 4 { try? reader?.execute("COMMIT") }
        write(batch, with: writer)
        guard pending.isEmpty || goesOn else { return }
        _ = try? reader?.integer("SELECT count(*) FROM note")
      }
      guard goesOn, version == Self.batches.count else { continue }
      write([.add(1000, "the last but one")], with: writer)
      // What is to fail when the database is closed still has to come.
      guard disk.failures > 0 else { continue }
      // When the disk is well again, so is the writer.
      disk.heal()
      write([.add(1001, "the last")], with: writer)
      if case .add(1001, _)? = acknowledged.last {} else { Issue.record("the writer did not recover") }
    }
  }

  /// Opens the database, again and again where it may.
  private func open(version: Int) -> (Database, Writer)? {
    for _ in 0..<(goesOn ? 500 : 1) {
      if let opened = try? openOnce(version: version) { return opened }
    }
    if goesOn { Issue.record("the database can't be opened any more") }
    return nil
  }

  private func openOnce(version: Int) throws -> (Database, Writer) {
    let database = try Database(path: disk.path(Self.fileName), schema: Notebook.schema(version: version))
    let connection = try database.writer()
    try connection.execute(setup)
    return (database, try Writer(connection: connection, queueLimit: 100))
  }

  /// Writes a batch in one transaction, and notes what became of it.
  private func write(_ batch: [Notebook.Change], with writer: Writer) {
    let gate = Condition((isReached: false, isOpen: false))
    @Sendable func reach() {
      gate.withLock { $0.isReached = true }
      gate.broadcast()
    }
    let isHeld = writer.submit { _ in
      reach()
      gate.wait { $0.isOpen ? () : nil }
    } completion: { _ in
      reach()
    }
    #expect(isHeld)
    gate.wait { $0.isReached ? () : nil }
    let results = Condition<[Int: Bool]>([:])
    for (number, change) in batch.enumerated() {
      let isAccepted = writer.submit {
        try change.make(on: $0)
      } completion: { result in
        // What is told first counts.
        results.withLock { $0[number] = $0[number] ?? ((try? result.get()) != nil) }
        results.broadcast()
      }
      #expect(isAccepted)
    }
    gate.withLock { $0.isOpen = true }
    gate.broadcast()
    let told = results.wait { $0.count == batch.count ? $0 : nil }
    var hasFailed = false
    for (number, change) in batch.enumerated() {
      if case .giveUp = change {
        #expect(told[number] == false)
      } else if told[number] == true {
        acknowledged.append(change)
      } else {
        hasFailed = true
      }
    }
    if hasFailed, pending.isEmpty { pending = batch }
  }
}
