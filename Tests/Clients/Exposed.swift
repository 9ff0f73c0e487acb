import Foundation
import TestSupport
import Testing

/// What a server's metrics say, read by a test.
struct Exposed {
  let text: String
  /// The values by name and labels, as they are written: `understudy_connections{a="b"}`.
  let values: [String: Double]

  static let token = "a-token-of-24-characters"

  /// Reads the metrics by a port.
  init(port: UInt16) throws {
    let client = try RawClient(port: port)
    try client.send(
      "GET /metrics HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Self.token)\r\nConnection: close\r\n\r\n")
    let response = try client.response()
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
    #expect(response["Cache-Control"] == "no-store")
    self.init(response.text)
  }

  init(_ text: String) {
    self.text = text
    var values: [String: Double] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let space = line.lastIndex(of: " ") else { continue }
      let name = String(line[..<space])
      #expect(values[name] == nil, "\(name) is there twice")
      values[name] = Double(line[line.index(after: space)...])
      #expect(values[name] != nil, "\(line)")
    }
    self.values = values
  }

  subscript(name: String) -> Double { values[name] ?? 0 }

  /// The answers of a route, by status.
  func answers(_ route: String) -> [String: Int] {
    var answers: [String: Int] = [:]
    for (name, value) in values {
      let parts = name.split(separator: "\"", omittingEmptySubsequences: false)
      guard parts.first == "understudy_http_requests_total{route=", parts[1] == route else { continue }
      answers[String(parts[3])] = Int(value)
    }
    return answers
  }

  /// The routes that have answered.
  var routes: Set<String> {
    Set(
      values.keys.filter { $0.hasPrefix("understudy_http_requests_total") }.map {
        String($0.split(separator: "\"")[1])
      })
  }

  /// Waits until the numbers are as expected: a request still counts as under way for a moment after its answer.
  static func eventually(port: UInt16, _ isExpected: (Exposed) -> Bool) throws -> Exposed {
    for _ in 1...100 {
      let exposed = try Exposed(port: port)
      if isExpected(exposed) { return exposed }
      usleep(20_000)
    }
    return try Exposed(port: port)
  }
}
