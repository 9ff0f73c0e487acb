import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("durability")
struct DurabilityTests {
  private static let environment = ProcessInfo.processInfo.environment
  /// How often the server is killed.
  private static let rounds = Int(environment["UNDERSTUDY_SOAK_ROUNDS"] ?? "") ?? 50
  /// What the test does, but for the moment's chances.
  private static let seed =
    UInt64(environment["UNDERSTUDY_SOAK_SEED"] ?? "") ?? .random(in: 0...UInt64(UInt32.max))

  @Test("what was answered 200 survives kill -9, and the next start takes less than a second")
  func killed() throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: Self.seed)
    let seed: Comment = "UNDERSTUDY_SOAK_SEED=\(Self.seed)"
    var observers = (1...6).map { SightingUploader(name: "observer \($0)", hasKeys: $0 % 2 == 0) }
    var keepers = try Self.signUp(in: folder, count: 4, random: &random)
    var starts: [Duration] = []
    var newest: Int64 = 0

    for round in 1...Self.rounds {
      if round % 8 == 0 { try Self.killWhileStarting(in: folder, random: &random) }
      let clock = ContinuousClock()
      let begin = clock.now
      let server = try ServerProcess(["--data", folder.path, "--log-level", "error"])
      starts.append(clock.now - begin)

      let limit = Int.random(in: 1...300, using: &random)
      let count = Atomic(0)
      let acknowledged: @Sendable () -> Void = {
        if count.add(1, ordering: .relaxed).newValue == limit { server.signal(SIGKILL) }
      }
      let uploaders = try onThreads(observers as [any Uploader] + keepers) { [port = server.port] in
        var uploader = $0
        uploader.upload(to: port, round: round, acknowledged: acknowledged)
        return uploader
      }
      observers = uploaders.compactMap { $0 as? SightingUploader }
      keepers = uploaders.compactMap { $0 as? DirectoryUploader }
      #expect(server.wait() == -SIGKILL, seed)
      #expect(count.load(ordering: .relaxed) >= limit, seed)
      #expect((observers.flatMap(\.refusals) + keepers.flatMap(\.refusals)).isEmpty, seed)

      let oldest = keepers.flatMap(\.touched).min() ?? .max
      let stored = try StoredRows(of: folder.url, observationsAfter: newest, peopleFrom: oldest)
      Self.check(stored, after: newest, observers, seed)
      Self.check(stored, from: oldest, &keepers, seed)
      newest = stored.observations.last?.id ?? newest
    }

    let stored = try StoredRows(of: folder.url)
    Self.check(stored, after: 0, observers, seed)
    Self.check(stored, from: 0, &keepers, seed)
    let sorted = starts.sorted()
    #expect(
      isSanitized || sorted[sorted.count / 2] < .seconds(1),
      "a start took \(sorted[sorted.count / 2]) in the middle")
    let acknowledged = observers.reduce(0) { $0 + $1.acknowledged.count }
    print(
      "kill -9: \(Self.rounds) rounds, \(acknowledged) sightings acknowledged and \(stored.observations.count) stored,",
      "\(keepers.reduce(0) { $0 + $1.people.count }) people, start \(sorted[sorted.count / 2]) in the middle and",
      "\(sorted[sorted.count - 1]) at most, \(seed)")
  }

  @Test(
    "a server that was killed while it made its folder leaves one that the next can use, and the one after")
  func killedAtFirst() throws {
    var random = SeededGenerator(seed: Self.seed)
    for _ in 1...max(10, Self.rounds / 5) {
      let folder = try TemporaryFolder()
      try Self.killWhileStarting(in: folder, random: &random)
      for _ in 1...2 {
        let server = try ServerProcess(["--data", folder.path])
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
      }
    }
  }

  /// Every sighting behind an id that was answered 200 is there with what was sent, none is there twice,
  /// and none that nobody sent.
  private static func check(
    _ stored: StoredRows, after id: Int64, _ uploaders: [SightingUploader], _ seed: Comment
  ) {
    #expect(stored.defects.isEmpty, seed)
    let acknowledged = uploaders.flatMap(\.acknowledged).filter { $0.id > id }
    #expect(Set(acknowledged.map(\.id)).count == acknowledged.count, "an id was given twice; \(seed)")
    var rows = Dictionary(uniqueKeysWithValues: stored.observations.map { ($0.id, $0.comment) })
    let lost = acknowledged.filter { rows.removeValue(forKey: $0.id) != $0.comment }
    #expect(lost.isEmpty, seed)
    // What is left got no answer.
    let unanswered = Set(uploaders.flatMap(\.unanswered))
    #expect(unanswered.isSuperset(of: rows.values), seed)
    #expect(Set(rows.values).count == rows.count, "a sighting is there twice; \(seed)")
    #expect(
      Set(acknowledged.map(\.comment)).isDisjoint(with: rows.values), "a sighting is there twice; \(seed)")
  }

  /// Everybody is in the office that was acknowledged last, or sent after it; who was taken away is gone.
  private static func check(
    _ stored: StoredRows, from id: Int64, _ uploaders: inout [DirectoryUploader], _ seed: Comment
  ) {
    let offices = Dictionary(uniqueKeysWithValues: stored.people.map { ($0.id, $0.office) })
    for index in uploaders.indices {
      #expect(uploaders[index].settle(offices, all: id == 0).isEmpty, seed)
    }
    let known = Set(uploaders.flatMap(\.people.keys))
    let unanswered = Set(uploaders.flatMap(\.unanswered))
    let strangers = stored.people.filter { !known.contains($0.id) }
    #expect(unanswered.isSuperset(of: strangers.map(\.name)), seed)
    #expect(Set(strangers.map(\.name)).count == strangers.count, "a person is there twice; \(seed)")
  }

  /// Makes a user of each app for those who upload.
  private static func signUp(
    in folder: TemporaryFolder, count: Int, random: inout SeededGenerator
  ) throws -> [DirectoryUploader] {
    let server = try ServerProcess(["--data", folder.path])
    let client = try RawClient(port: server.port)
    let user = request("POST", "/invasive/users", #"{"username":"ada","password":"pw"}"#)
    #expect(client.answer(to: user)?.status == 200)
    let uploaders = try (1...count).map { number in
      let account = #"{"name":"keeper \#(number)","password":"pw"}"#
      let key = try #require(client.answer(to: request("POST", "/directory/users", account)))
      #expect(key.status == 200)
      return DirectoryUploader(key: key.text, seed: random.next())
    }
    server.signal(SIGTERM)
    #expect(server.wait() == 0)
    return uploaders
  }

  /// Kills a server before it may have got as far as to listen.
  private static func killWhileStarting(in folder: TemporaryFolder, random: inout SeededGenerator) throws {
    let process = Process()
    process.executableURL = ServerProcess.program
    process.arguments = ["serve", "--port", "0", "--data", folder.path]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    usleep(.random(in: 0..<100_000, using: &random))
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
