import Apps
import Foundation
import TestSupport
import Testing
import Threads

/// The app's own store: what is recorded stays in it, and is sent again, until a server has answered 200.
private struct Notebook {
  struct Sighting {
    let observation: InvasiveApp.Observation
    /// As it is sent each time: `JSONEncoder` doesn't promise to put the members of equal values into
    /// the same order, and a key is for the same bytes.
    let body: Data
    /// Made when it is recorded, and the same for each time that it is sent.
    let key: String?
    /// What the server has answered; nil until it has answered 200.
    var id: Int?
  }

  private(set) var sightings: [Sighting] = []
  let hasKeys: Bool

  init(hasKeys: Bool) {
    self.hasKeys = hasKeys
  }

  /// What the server hasn't got, as far as the app knows.
  var waiting: [String] { sightings.filter { $0.id == nil }.map(\.observation.comment) }

  mutating func record(_ comment: String, by user: Int) throws {
    let (species, park) = (sightings.count % 48 + 1, sightings.count % 50 + 1)
    let observation = InvasiveApp.Observation(
      user: user, species: species, park: park, comment: comment, date: "June \(sightings.count)")
    sightings.append(
      Sighting(
        observation: observation, body: try JSONEncoder().encode(observation),
        key: hasKeys ? UUID().uuidString : nil))
  }

  /// Sends what waits, in order. One that is refused stays; where there is no answer the rest stays too.
  mutating func upload(with app: InvasiveApp) async {
    for (index, sighting) in sightings.enumerated() where sighting.id == nil {
      do {
        let answer = try await app.upload(
          sighting.body, to: "/invasive/observations", key: sighting.key)
        sightings[index].id = Int(String(decoding: answer, as: UTF8.self))
      } catch is InvasiveApp.Refused {
        continue
      } catch {
        return
      }
    }
  }
}

@Suite("the invasive species app offline")
struct OfflineTests {
  private func signUp(_ name: String, at installation: Installation) async throws -> Int {
    let new = InvasiveApp.User(iduser: 0, username: name, password: "pw", realname: "", phone: "")
    return try await installation.app.signUp(new).iduser
  }

  private func stored(at installation: Installation) async throws -> [InvasiveApp.StoredObservation] {
    try await installation.app.list("/invasive/observations")
  }

  /// Checks that the server has each sighting once, under the id that it has answered.
  private func expectEachOnce(_ notebook: Notebook, at installation: Installation) async throws {
    let stored = try await stored(at: installation)
    #expect(stored.count == notebook.sightings.count)
    let rows = Dictionary(grouping: stored, by: \.idobservation)
    for sighting in notebook.sightings {
      let row = try #require(sighting.id.flatMap { rows[$0]?.first }, "\(sighting)")
      let observation = InvasiveApp.Observation(
        user: row.user, species: row.species, park: row.park, comment: row.comment, date: row.date)
      #expect(observation == sighting.observation)
    }
  }

  @Test(
    "uploads in order what was recorded without a server, and again what failed", arguments: [true, false])
  func offline(withKeys hasKeys: Bool) async throws {
    try await withInstallation { installation in
      try installation.start()
      let user = try await signUp("ada", at: installation)
      installation.stop()

      var notebook = Notebook(hasKeys: hasKeys)
      for number in 1...5 { try notebook.record("before \(number)", by: user) }
      // Of a user that the server doesn't know yet.
      try notebook.record("a friend's", by: user + 1)
      for number in 1...5 { try notebook.record("after \(number)", by: user) }
      await notebook.upload(with: installation.app)
      #expect(notebook.waiting.count == 11)

      try installation.start()
      await notebook.upload(with: installation.app)
      #expect(notebook.waiting == ["a friend's"])
      let others = notebook.sightings.map(\.observation.comment).filter { $0 != "a friend's" }
      #expect(try await stored(at: installation).map(\.comment) == others)
      await notebook.upload(with: installation.app)
      #expect(notebook.waiting == ["a friend's"])
      #expect(try await signUp("grace", at: installation) == user + 1)
      await notebook.upload(with: installation.app)
      #expect(notebook.waiting == [])
      try await expectEachOnce(notebook, at: installation)

      installation.stop()
      try installation.start()
      await notebook.upload(with: installation.app)
      try await expectEachOnce(notebook, at: installation)
      installation.stop()
    }
  }

  @Test("sends again what the server has stored without being able to say so", arguments: [true, false])
  func lostAnswer(withKeys hasKeys: Bool) async throws {
    try await withInstallation { installation in
      try installation.start()
      let user = try await signUp("ada", at: installation)
      var notebook = Notebook(hasKeys: hasKeys)
      for number in 1...5 { try notebook.record("no. \(number)", by: user) }
      let relay = try Relay(to: installation.port) { event in
        guard event == .answer(3) else { return false }
        installation.kill()
        return true
      }
      let app = InvasiveApp(base: "http://127.0.0.1:\(relay.port)")
      await notebook.upload(with: app)
      #expect(notebook.waiting == ["no. 3", "no. 4", "no. 5"])

      try installation.start()
      // The server has the third, though the app doesn't know.
      #expect(try await stored(at: installation).map(\.comment) == ["no. 1", "no. 2", "no. 3"])
      await notebook.upload(with: app)
      #expect(notebook.waiting == [])
      if hasKeys {
        try await expectEachOnce(notebook, at: installation)
      } else {
        // Nobody can tell a sighting that is sent again from another of the same.
        let expected = ["no. 1", "no. 2", "no. 3", "no. 3", "no. 4", "no. 5"]
        #expect(try await stored(at: installation).map(\.comment) == expected)
      }
      installation.stop()
    }
  }

  @Test("gets 200 sightings to a server that is killed again and again", arguments: [true, false])
  func killed(withKeys hasKeys: Bool) async throws {
    try await withInstallation { installation in
      try installation.start()
      let user = try await signUp("ada", at: installation)
      var notebook = Notebook(hasKeys: hasKeys)
      for number in 1...200 { try notebook.record("no. \(number)", by: user) }
      let kills: [Relay.Event] = [.request(30), .answer(70), .request(110), .answer(130), .request(180)]
      let happened = Condition<[Relay.Event]>([])
      let relay = try Relay(to: installation.port) { event in
        guard kills.contains(event) else { return false }
        installation.kill()
        happened.withLock { $0.append(event) }
        return true
      }
      let app = InvasiveApp(base: "http://127.0.0.1:\(relay.port)")
      var rounds = 0
      while !notebook.waiting.isEmpty, rounds <= kills.count {
        if rounds > 0 { try installation.start() }
        await notebook.upload(with: app)
        rounds += 1
      }
      #expect(happened.withLock { $0 } == kills)
      #expect(rounds == kills.count + 1)
      #expect(notebook.waiting == [])
      if hasKeys {
        try await expectEachOnce(notebook, at: installation)
      } else {
        let stored = try await stored(at: installation).map(\.comment)
        #expect(Set(stored) == Set(notebook.sightings.map(\.observation.comment)))
        // Those whose answers were lost are there twice, and perhaps those that were under way.
        #expect((202...205).contains(stored.count))
      }
      installation.stop()
    }
  }
}
