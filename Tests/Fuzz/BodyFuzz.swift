import Foundation
import JSON
import SQLite

@testable import HTTP
@testable import Understudy

/// The body of a POST on its way into the database and out again, as each of the resources reads it.
final class BodyFuzz {
  private let database: TemporaryDatabase
  private let connection = ClientConnection(descriptor: -1, address: nil)

  init() throws {
    database = try TemporaryDatabase()
    try database.connection.execute(
      """
      INSERT INTO user (id, username, username_nfc, password, realname, phone) VALUES (1, '', '', '', '', '');
      INSERT INTO directory_user (id, name, name_nfc, password, key) VALUES (1, '', '', '', '');
      INSERT INTO species (id, name, image) VALUES (1, '', '');
      INSERT INTO park (id, name, county) VALUES (1, '', '');
      """)
  }

  func run(_ input: [UInt8]) throws {
    let request = Request(
      id: RequestID(number: 1), target: RequestTarget([UInt8(ascii: "/")]), connection: connection,
      trustedProxies: [])
    request.body = input
    try database.reverting { connection in
      try record(request, on: connection)
      try add(request, on: connection)
    }
    try signUp(request)
  }

  private func record(_ request: Request, on connection: Connection) throws {
    guard let body = try taken({ try request.object() }),
      let observation = try taken({ try NewObservation(body) })
    else { return }
    guard let id = try taken({ try observation.insert(on: connection) }) else { return }
    let isSame = try connection.row(
      "SELECT user, species, park, comment, date FROM observation WHERE id = ?1", .integer(id)
    ) { row in
      [row.integer(0), row.integer(1), row.integer(2)]
        == [observation.user, observation.species, observation.park]
        && row.utf8(3).elementsEqual(observation.comment.utf8)
        && row.utf8(4).elementsEqual(observation.date.utf8)
    }
    try require(isSame == true, "the observation is kept as it came: \(request.body.shown)")
  }

  private func add(_ request: Request, on connection: Connection) throws {
    guard let person = try taken({ try NewPerson(request) }) else { return }
    let members = try JSONReader.object(in: person.members).members
    let posted = try JSONReader.object(in: request.body).members
      .filter { !["id", "name", "office", "user"].contains($0.name) }
    try require(
      members.map { Array($0.rawName + $0.value.raw) } == posted.map { Array($0.rawName + $0.value.raw) },
      "a person's own members are kept as they came: \(request.body.shown)")
    try connection.run(
      "INSERT INTO person (user, name, office, members) VALUES (1, ?1, ?2, ?3)", .text(person.name),
      .text(person.office), .utf8(person.members))
    let body = ByteBuffer()
    _ = try connection.row(
      "SELECT id, name, office, user, members FROM person WHERE id = ?1",
      .integer(connection.lastInsertedRow)
    ) { People.append($0, to: body) }
    let shown = try JSONReader.object(in: Array(body.bytes)).members
    try require(
      shown.map(\.name) == ["id", "name", "office", "user"] + posted.map(\.name), "the members: \(body.text)")
    if case .string(let name, _) = shown[1].value, case .string(let office, _) = shown[2].value {
      try require(
        name.utf8.elementsEqual(person.name.utf8) && office.utf8.elementsEqual(person.office.utf8), body.text)
    }
  }

  /// What is compared is in a normal form, which is its own.
  private func signUp(_ request: Request) throws {
    guard let body = try taken({ try request.object() }),
      let name = try taken({ try body.text("username", mayBeEmpty: false) })
    else { return }
    let normal = name.normalized
    try require(normal.normalized.utf8.elementsEqual(normal.utf8), "normal is normal: \(name)")
    try require(normal == name, "and the same to a reader: \(name)")
    try require(
      name.decomposedStringWithCanonicalMapping.normalized.utf8.elementsEqual(normal.utf8),
      "a decomposed name is the same: \(name)")
  }

  /// What `body` gives; nil where it refuses, as a client may be refused.
  private func taken<Result>(_ body: () throws -> Result) throws -> Result? {
    do {
      return try body()
    } catch let problem as Problem {
      try require([400, 422].contains(problem.status.code), "\(problem.status)")
      return nil
    }
  }
}
