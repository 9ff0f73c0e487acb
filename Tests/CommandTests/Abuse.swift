import TestSupport
import Testing

/// A way to abuse a server: what a crowd does, and when it has done it.
struct Abuse: Sendable, CustomTestStringConvertible {
  let name: String
  /// Options of the server that make it smaller, where the abuse would take minutes otherwise.
  var options: [String] = []
  let count: Int
  /// How many connect in ten milliseconds.
  var arrivals = 100
  var receiveBuffer: Int32?
  /// What the members do, in turn, given the key of a directory.
  let members: @Sendable (_ key: String) -> [Crowd.Member]
  /// Whether the abuse is under way, of so many: honest clients are watched from then on.
  var isUnderWay: @Sendable (Crowd.Tally, _ count: Int) -> Bool = { $0.opened >= $1 }
  /// What has to be so at the end of the watch, or become so soon.
  var outcome: @Sendable (Crowd.Tally, _ count: Int) -> Bool = { _, _ in true }

  var testDescription: String { name }

  /// Everybody who does it.
  func crowd(key: String) -> [Crowd.Member] {
    let members = members(key)
    return (0..<count).map { members[$0 % members.count] }
  }

  static func get(_ target: String, version: String = "1.1") -> String {
    "GET \(target) HTTP/\(version)\r\nHost: a\r\n\r\n"
  }

  static func post(_ target: String, _ body: String, length: Int? = nil) -> String {
    "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length ?? body.utf8.count)\r\n\r\n\(body)"
  }

  static func chunked(_ body: String) -> String {
    "POST \(sightings) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
  }

  static let sightings = "/invasive/observations"
  static let sighting = #"{"user":1,"species":1,"park":1,"comment":"","date":""}"#
  static let page = get("\(sightings)?limit=10000&species=2")

  static func login(of name: String) -> String { get("/invasive/users?user=\(name)&password=wrong") }
}

extension Abuse {
  /// Everything that is tried.
  static let all = slow + waiting + lying + flooding

  private static let slow = [
    Abuse(name: "headers that come a byte at a time", count: 500) { _ in
      [Crowd.Member("GET /invasive/species HTTP/1.1\r\nX-Slow: ", beat: "x")]
    },
    Abuse(name: "bodies that come a byte at a time", count: 500) { _ in
      [Crowd.Member(post(sightings, "{", length: 10_000), beat: " ")]
    },
    Abuse(
      name: "bodies of 1 MiB whose last byte never comes", count: 200, arrivals: 10
    ) { _ in
      [Crowd.Member(post(sightings, String(repeating: " ", count: (1 << 20) - 1), length: 1 << 20))]
    } isUnderWay: {
      $0.opened + $0.closed >= $1
    },
    Abuse(
      name: "readers of the largest answer, a few bytes at a time", count: 200, arrivals: 10,
      receiveBuffer: 4096
    ) { _ in
      [Crowd.Member(page, reads: .bytes(64))]
    } isUnderWay: {
      $0.answered + $0.closed >= $1
    },
    Abuse(name: "readers of a photograph, a few bytes at a time", count: 3000, receiveBuffer: 4096) { _ in
      [Crowd.Member(get("/invasive/images/photo.jpg"), reads: .bytes(64))]
    } isUnderWay: {
      $0.answered + $0.closed >= $1
    },
    Abuse(name: "idle connections, half of them from the start", count: 5000) { _ in
      [Crowd.Member(""), Crowd.Member(get("/invasive/parks/1"))]
    },
  ]

  private static let waiting = [
    Abuse(name: "connections that vanish while their change waits", count: 100, arrivals: 20) { _ in
      [
        Crowd.Member(post(sightings, sighting), then: .resets, returns: true),
        Crowd.Member(post(sightings, sighting), then: .closes, returns: true),
      ]
    } isUnderWay: {
      $0.begun > $1
    } outcome: { tally, _ in
      tally.begun >= 500
    },
    Abuse(
      name: "connections that vanish while their login waits", options: ["--password-queue", "16"],
      count: 100, arrivals: 20
    ) { _ in
      [
        Crowd.Member(login(of: "ada"), then: .resets, returns: true),
        Crowd.Member(login(of: "bob"), then: .closes, returns: true),
      ]
    } isUnderWay: {
      $0.begun > $1
    } outcome: { tally, _ in
      tally.begun >= 500
    },
    Abuse(
      name: "more logins than are taken", options: ["--password-queue", "16"], count: 40
    ) { _ in
      (1...40).map { Crowd.Member(login(of: "nobody\($0)"), beat: login(of: "nobody\($0)")) }
    } outcome: { tally, _ in
      // Those that wait get their 401, or have failed too often; all others are told to come again.
      tally.answers[503] ?? 0 > 40 && tally.answers[401] ?? tally.answers[429] ?? 0 > 0
    },
  ]

  private static let lying = [
    // Whoever sends a part of a body and closes at once is gone unseen until the request's time is over:
    // libmicrohttpd's epoll tells it of both together.
    Abuse(
      name: "bodies that lie about their length", options: ["--request-timeout", "2"], count: 200,
      arrivals: 10
    ) { _ in
      [
        Crowd.Member(post(sightings, sighting, length: 500), then: .closes, returns: true),
        Crowd.Member(post(sightings, sighting, length: 500), then: .resets, returns: true),
        Crowd.Member(post(sightings, sighting, length: 500)),
        Crowd.Member(post(sightings, sighting, length: 10), returns: true),
        Crowd.Member(post(sightings, sighting, length: .max), returns: true),
        Crowd.Member(chunked("FFFFFFFFFFFFFFFF\r\n{}"), returns: true),
        Crowd.Member(chunked("FFFFFFFFFFFFFFFFF\r\n{}"), returns: true),
        Crowd.Member(chunked("-2\r\n{}\r\n0\r\n\r\n"), returns: true),
        Crowd.Member(chunked("two\r\n{}\r\n0\r\n\r\n"), returns: true),
        Crowd.Member(chunked("2\r\n{}{}\r\n0\r\n\r\n"), returns: true),
        Crowd.Member(chunked("7FFFFFFF\r\n{}"), then: .closes, returns: true),
      ]
    } isUnderWay: {
      $0.begun >= $1
    } outcome: { tally, _ in
      tally.answers[400] ?? 0 > 100
    }
  ]

  private static let flooding = [
    Abuse(name: "pipelines of 1000, read as they are answered", count: 4) { key in
      [Crowd.Member(String(repeating: get("/directory/people/\(key)"), count: 1000))]
    } isUnderWay: { tally, _ in
      tally.begun > 0
    } outcome: {
      $0.answers[200] == $1 * 1000
    },
    Abuse(name: "pipelines of 1000 whose answers nobody reads", count: 50, receiveBuffer: 4096) { _ in
      [Crowd.Member(String(repeating: get("/invasive/species"), count: 1000), reads: .nothing)]
    } isUnderWay: {
      $0.begun >= $1
    },
    Abuse(name: "requests without end whose answers nobody reads", count: 100, receiveBuffer: 4096) { key in
      [Crowd.Member(get("/invasive/species"), beat: get("/directory/people/\(key)"), reads: .nothing)]
    },
    Abuse(name: "requests for what there isn't", count: 100) { _ in
      [Crowd.Member(get("/nothing"), beat: get("/nothing"))]
    } outcome: { tally, count in
      tally.answers[404] ?? 0 > 3 * count
    },
    Abuse(name: "connections that are opened and closed", count: 500, arrivals: 40) { _ in
      [
        Crowd.Member("", then: .closes, returns: true), Crowd.Member("", then: .resets, returns: true),
        Crowd.Member(get("/"), then: .resets, returns: true),
      ]
    } isUnderWay: {
      $0.begun >= $1
    },
    Abuse(name: "a connection for each request", count: 50, arrivals: 20) { _ in
      [Crowd.Member(get("/invasive/parks/1", version: "1.0"), returns: true)]
    } isUnderWay: {
      $0.begun > $1
    } outcome: { tally, count in
      tally.answers[200] ?? 0 > count
    },
  ]
}
