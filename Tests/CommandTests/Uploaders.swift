import TestSupport

/// A request with a body.
func request(_ method: String, _ path: String, _ body: String, key: String? = nil) -> String {
  let field = key.map { "Idempotency-Key: \($0)\r\n" } ?? ""
  return
    "\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(field)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
}

/// What a client of a server that is killed again and again does, round after round.
protocol Uploader: Sendable {
  /// Sends changes, one after the other, until the server is gone.
  ///
  /// - Parameter acknowledged: called for each change that was answered 200.
  mutating func upload(to port: UInt16, round: Int, acknowledged: () -> Void)
}

extension RawClient {
  /// The answer to a request; nil where the server is gone.
  func answer(to request: String) -> RawResponse? {
    guard (try? send(request)) != nil else { return nil }
    return try? response()
  }
}

/// Records sightings, each with a comment of its own.
struct SightingUploader: Uploader {
  struct Sighting: Sendable {
    let comment: String
    let key: String?

    var request: String {
      let body = #"{"user":1,"species":4,"park":13,"comment":"\#(comment)","date":"2026-06-01"}"#
      return CommandTests.request("POST", "/invasive/observations", body, key: key)
    }
  }

  let name: String
  /// Whether it sends keys, and again what it got no answer to.
  let hasKeys: Bool
  /// The ids that were answered, with what was sent.
  private(set) var acknowledged: [(id: Int64, comment: String)] = []
  /// What got no answer, and may be there or not, once.
  private(set) var unanswered: Set<String> = []
  private(set) var refusals: [String] = []
  private var pending: Sighting?

  init(name: String, hasKeys: Bool) {
    self.name = name
    self.hasKeys = hasKeys
  }

  mutating func upload(to port: UInt16, round: Int, acknowledged tell: () -> Void) {
    guard let connection = try? RawClient(port: port) else { return }
    for number in 1... {
      let comment = "\(name), round \(round), no. \(number)"
      let sighting = pending ?? Sighting(comment: comment, key: hasKeys ? "\"\(comment)\"" : nil)
      guard let answer = connection.answer(to: sighting.request) else {
        if hasKeys { pending = sighting }
        unanswered.insert(sighting.comment)
        return
      }
      guard answer.status == 200, let id = Int64(answer.text) else {
        return refusals.append("\(answer.status) \(answer.text)")
      }
      pending = nil
      unanswered.remove(sighting.comment)
      acknowledged.append((id, sighting.comment))
      tell()
    }
  }
}

/// Adds people to a directory of its own, moves them to other offices, and takes some away.
struct DirectoryUploader: Uploader {
  /// A person as far as is known: what was acknowledged last, and what was sent after it.
  struct Person: Sendable, Equatable {
    /// nil for one that was taken away.
    var office: String?
    /// What got no answer; a nil inside is a deletion.
    var attempt: String??
  }

  let key: String
  /// By id.
  private(set) var people: [Int64: Person] = [:]
  /// Those of whom something was sent since `settle`.
  private(set) var touched: Set<Int64> = []
  /// The names of people of whom no id is known.
  private(set) var unanswered: Set<String> = []
  private(set) var refusals: [String] = []
  private var random: SeededGenerator

  init(key: String, seed: UInt64) {
    self.key = key
    random = SeededGenerator(seed: seed)
  }

  static func body(name: String, office: String) -> String {
    #"{"name":"\#(name)","office":"\#(office)","phone":"555"}"#
  }

  mutating func upload(to port: UInt16, round: Int, acknowledged tell: () -> Void) {
    guard let connection = try? RawClient(port: port) else { return }
    let present = people.filter { $0.value.office != nil && $0.value.attempt == nil }.keys.sorted()
    var living = Array(present.suffix(50))
    for number in 1... {
      let office = "\(round).\(number)"
      let path = "/directory/people/\(key)"
      let answer: RawResponse?
      switch living.isEmpty ? 0 : Int.random(in: 0...3, using: &random) {
      case 0, 1:
        let name = "\(round).\(number) of \(key)"
        answer = connection.answer(to: request("POST", path, Self.body(name: name, office: office)))
        if let id = answer.flatMap({ Int64($0.text) }) {
          if people.updateValue(Person(office: office), forKey: id) != nil { refusals.append("\(id) twice") }
          touched.insert(id)
          living.append(id)
        } else {
          unanswered.insert(name)
        }
      case 2:
        let id = living.randomElement(using: &random) ?? 0
        answer = connection.answer(
          to: request("PUT", "\(path)/\(id)", Self.body(name: "moved", office: office)))
        note(office, of: id, isDone: answer != nil)
      default:
        let id = living.remove(at: Int.random(in: living.indices, using: &random))
        answer = connection.answer(to: "DELETE \(path)/\(id) HTTP/1.1\r\nHost: a\r\n\r\n")
        note(nil, of: id, isDone: answer != nil)
      }
      guard let answer else { return }
      guard answer.status == 200 else { return refusals.append("\(answer.status) \(answer.text)") }
      tell()
    }
  }

  private mutating func note(_ office: String?, of id: Int64, isDone: Bool) {
    touched.insert(id)
    people[id] = isDone ? Person(office: office) : Person(office: people[id]?.office, attempt: .some(office))
  }

  /// Learns which of the changes that got no answer have been made.
  ///
  /// - Parameters:
  ///   - stored: the offices that are in the database.
  ///   - all: whether to look at everybody and not only at those who were touched.
  /// - Returns: whose office is neither what was acknowledged nor what was attempted.
  mutating func settle(_ stored: [Int64: String], all: Bool) -> [Int64] {
    var wrong: [Int64] = []
    for id in all ? Set(people.keys) : touched {
      guard let person = people[id] else { continue }
      let found = stored[id]
      if found != person.office, person.attempt != .some(found) { wrong.append(id) }
      people[id] = Person(office: found)
    }
    touched = []
    return wrong
  }
}
