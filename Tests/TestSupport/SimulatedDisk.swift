import FaultVFS
import Foundation

/// A folder whose files are on a disk that fails when a test wants it to, and that knows what a power
/// cut would leave of them. SQLite alone sees it: what else is written there is written as ever.
public final class SimulatedDisk: @unchecked Sendable {
  // Safe to share: the disk has a lock.

  /// How an operation (a write, a sync, a truncation, a deletion, the creation of a file) goes wrong.
  public enum Fault: Sendable, CaseIterable {
    /// The power is cut in the middle of it: whatever comes after it fails.
    case powerCut
    /// It fails, a write in its middle.
    case error
    /// It fails, and what a sync should have written is given up and taken for written, as on Linux.
    case lostSync
    /// There is no room for more.
    case full

    fileprivate var kind: FaultKind {
      switch self {
      case .powerCut: FAULT_POWER_CUT
      case .error: FAULT_ERROR
      case .lostSync: FAULT_LOST_SYNC
      case .full: FAULT_FULL
      }
    }
  }

  /// The folder could not be made or written.
  public struct Failure: Error {}

  private let disk: OpaquePointer
  /// The folder.
  public let url: URL

  /// - Parameter files: what is on it already, and certain to be, by name.
  public init(files: [String: Data] = [:]) throws {
    url = FileManager.default.temporaryDirectory.appending(path: "understudy-disk-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (name, bytes) in files { try bytes.write(to: url.appending(path: name)) }
    guard let disk = fault_disk_create(url.path) else { throw Failure() }
    self.disk = disk
  }

  deinit {
    fault_disk_destroy(disk)
    try? FileManager.default.removeItem(at: url)
  }

  /// The path of something on it.
  public func path(_ name: String) -> String { url.appending(path: name).path }

  /// How many operations there have been.
  public var operations: Int { fault_disk_operations(disk) }

  /// How many of them failed because they were meant to.
  public var failures: Int { fault_disk_failures(disk) }

  /// Lets operations fail.
  ///
  /// - Parameters:
  ///   - first: the number of the first one, counted from 1 and the disk's beginning; nil for the next.
  ///   - count: how many.
  public func plan(_ fault: Fault, from first: Int? = nil, count: Int = .max) {
    fault_disk_plan(disk, fault.kind, first ?? operations + 1, count)
  }

  /// Lets reading fail too.
  public func failReads() { fault_disk_fail_reads(disk, true) }

  /// Nothing fails any more.
  public func heal() {
    fault_disk_plan(disk, FAULT_ERROR, 0, 0)
    fault_disk_fail_reads(disk, false)
  }

  /// What the disk would hold after a power cut at this moment, by name.
  ///
  /// - Parameter seed: chooses what survives of what was not synced.
  public func survivors(seed: UInt64) throws -> [String: Data] {
    let folder = url.appendingPathExtension("survivors-\(seed)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    guard fault_disk_survivors(disk, seed, folder.path) else { throw Failure() }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.appending(path: $0))) })
  }
}
