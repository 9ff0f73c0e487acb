import Apps
import Foundation
import Testing
import UnderstudyTesting

@Suite("the invasive species app")
struct InvasiveAppTests {
  private let server: TestServer
  private let app: InvasiveApp

  init() throws {
    server = try TestServer()
    app = InvasiveApp(base: server.url)
  }

  @Test("shows the gallery, each species with a picture that loads")
  func gallery() async throws {
    let species: [InvasiveApp.Species] = try await app.list("/invasive/species")
    #expect(species.count == 48)
    #expect(species.map(\.idspecies) == Array(1...48))
    for one in species {
      let (data, type) = try await app.picture(one.image)
      #expect(type == "image/png", "\(one.name)")
      // The signature, and the width and height of the header chunk (PNG, sections 5.2 and 11.2.2).
      #expect(data.starts(with: [0x89, 0x50, 0x4E, 0x47]))
      #expect(Array(data.dropFirst(16).prefix(8)) == [0, 0, 2, 88, 0, 0, 1, 144], "600 by 400")
      #expect(data.count < 60_000)
    }
  }

  @Test("lists the parks with their counties")
  func parks() async throws {
    let parks: [InvasiveApp.Park] = try await app.list("/invasive/parks")
    #expect(parks.count == 50)
    #expect(parks.first { $0.name == "Devil's Lake State Park" }?.county == "Sauk")
  }

  @Test("signs up, logs in, uploads what was recorded offline, and finds it again")
  func sightings() async throws {
    let new = InvasiveApp.User(
      iduser: 0, username: "ada", password: "correct-horse", realname: "Ada Lovelace", phone: "608 555 0100")
    let user = try await app.signUp(new)
    #expect(user.iduser > 0)
    #expect(try await app.logIn(name: "ada", password: "correct-horse") == user)

    let recorded = (1...20).map { number in
      InvasiveApp.Observation(
        user: user.iduser, species: number, park: 51 - number,
        comment: "No. \(number) 🌿 \"by the shore\"\nwet feet",
        date: "June \(number)")
    }
    for one in recorded {
      let answer = try await app.upload(one, to: "/invasive/observations")
      #expect(Int(String(decoding: answer, as: UTF8.self)) != nil)
    }
    let stored: [InvasiveApp.StoredObservation] = try await app.list(
      "/invasive/observations?user=\(user.iduser)")
    let found = stored.map {
      InvasiveApp.Observation(
        user: $0.user, species: $0.species, park: $0.park, comment: $0.comment, date: $0.date)
    }
    #expect(found == recorded)
  }

  @Test(
    "logs in with whatever was typed at sign-up",
    arguments: [
      "plain", "a+b", "a b", "é", "e\u{301}", "p=q", "日本", "🌿", "a/b?c", "tilde~'quote'",
    ])
  func passwords(typed: String) async throws {
    let new = InvasiveApp.User(iduser: 0, username: "u\(typed)", password: typed, realname: "", phone: "")
    let user = try await app.signUp(new)
    #expect(try await app.logIn(name: user.username, password: typed) == user)
  }

  @Test("is told 401 for a wrong password and 409 for a name that is taken")
  func refusals() async throws {
    let new = InvasiveApp.User(iduser: 0, username: "grace", password: "right", realname: "", phone: "")
    _ = try await app.signUp(new)
    let wrong = await #expect(throws: InvasiveApp.Refused.self) {
      try await app.logIn(name: "grace", password: "wrong")
    }
    #expect(wrong?.status == 401)
    let taken = await #expect(throws: InvasiveApp.Refused.self) { try await app.signUp(new) }
    #expect(taken?.status == 409)
  }
}
