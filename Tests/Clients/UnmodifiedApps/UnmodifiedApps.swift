import Apps
import Foundation

/// Both apps as students hand them in: the address is written into them, and there is no way to give them another.
@main
struct UnmodifiedApps {
  static func main() async {
    do {
      try await invasive(InvasiveApp(base: "https://cmsc106.net"))
      try await directory(DirectoryApp(base: "https://cmsc106.net"))
      print("all calls were answered as they should be")
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private static func invasive(_ app: InvasiveApp) async throws {
    let species: [InvasiveApp.Species] = try await app.list("/invasive/species")
    try equal(species.map(\.idspecies), Array(1...48), "species")
    for one in species.prefix(3) {
      try equal(one.image.hasPrefix("https://cmsc106.net/invasive/images/"), true, one.image)
      let (data, type) = try await app.picture(one.image)
      try equal(type, "image/png", "the type of \(one.image)")
      try equal(Array(data.prefix(4)), [0x89, 0x50, 0x4E, 0x47], "what it begins with")
    }
    let parks: [InvasiveApp.Park] = try await app.list("/invasive/parks")
    try equal(parks.count, 50, "parks")

    let new = InvasiveApp.User(
      iduser: 0, username: "ada", password: "correct-horse", realname: "Ada L.", phone: "608 555 0100")
    let user = try await app.signUp(new)
    try equal(try await app.logIn(name: new.username, password: new.password), user, "the login")
    let recorded = (1...3).map { number in
      InvasiveApp.Observation(
        user: user.iduser, species: number, park: 51 - number, comment: "No. \(number) 🌿", date: "June 1")
    }
    for one in recorded { _ = try await app.upload(one, to: "/invasive/observations") }
    let stored: [InvasiveApp.StoredObservation] = try await app.list(
      "/invasive/observations?user=\(user.iduser)")
    let found = stored.map {
      InvasiveApp.Observation(
        user: $0.user, species: $0.species, park: $0.park, comment: $0.comment, date: $0.date)
    }
    try equal(found, recorded, "the sightings")
  }

  private static func directory(_ app: DirectoryApp) async throws {
    let account = DirectoryApp.Account(name: "grace", password: "correct-horse")
    let key = try await app.signUp(account)
    try equal(try await app.logIn(account), key, "the login's key")
    var person = DirectoryApp.Person(id: 0, name: "Grace Hopper", office: "B 12")
    let people = "/directory/people/\(key)"
    let answer = try await app.send(
      app.request("POST", people), body: try JSONEncoder().encode(person))
    let id = String(decoding: answer, as: UTF8.self)
    try equal(try await app.people(key).map { "\($0.id) \($0.office)" }, ["\(id) B 12"], "who was added")
    person.office = "A 1"
    _ = try await app.send(app.request("PUT", "\(people)/\(id)"), body: try JSONEncoder().encode(person))
    try equal(try await app.people(key).map(\.office), ["A 1"], "who was changed")
    _ = try await app.send(app.request("DELETE", "\(people)/\(id)"))
    try equal(try await app.people(key).count, 0, "people after the last")
  }

  private struct Unexpected: Error {
    let what: String
  }

  private static func equal<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
    guard found == expected else { throw Unexpected(what: "\(what): expected \(expected), got \(found)") }
  }
}
