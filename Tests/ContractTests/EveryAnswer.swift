import Foundation
import TestSupport
import Testing

/// What the contract promises of every answer, whatever the request.
enum EveryAnswer {
  /// Checks an answer to a request of a method and a target.
  static func check(_ response: RawResponse, method: String, target: String, _ place: SourceLocation) {
    let origins = response.values("Access-Control-Allow-Origin")
    #expect(origins == ["*"], sourceLocation: place)
    let exposed = response["Access-Control-Expose-Headers"] ?? ""
    for name in ["X-Request-Id", "Location", "Link", "ETag", "Retry-After"] {
      #expect(exposed.contains(name), sourceLocation: place)
    }
    switch response.status {
    case 200 where method == "GET" || method == "HEAD": checkCaching(response, target: target, place)
    case 405: #expect(response["Allow"] != nil, sourceLocation: place)
    case 429, 503: #expect(response["Retry-After"] != nil, sourceLocation: place)
    default: break
    }
    if response.status >= 400 { checkProblem(response, hasBody: method != "HEAD", place) }
  }

  /// Whether a text is a strong entity tag (RFC 9110, section 8.8.3).
  static func isStrong(_ etag: String?) -> Bool {
    guard let etag, etag.count > 2, etag.hasPrefix("\""), etag.hasSuffix("\"") else { return false }
    return !etag.dropFirst().dropLast().contains("\"")
  }

  private static func checkCaching(_ response: RawResponse, target: String, _ place: SourceLocation) {
    if target.contains("/users") {
      #expect(response.values("Cache-Control") == ["no-store"], sourceLocation: place)
      #expect(response["ETag"] == nil, sourceLocation: place)
    } else {
      #expect(response.values("Cache-Control") == ["no-cache"], sourceLocation: place)
      #expect(isStrong(response["ETag"]), "\(response["ETag"] ?? "no ETag")", sourceLocation: place)
    }
  }

  /// RFC 9457.
  private static func checkProblem(_ response: RawResponse, hasBody: Bool, _ place: SourceLocation) {
    #expect(response["Content-Type"] == "application/problem+json", sourceLocation: place)
    #expect(response["ETag"] == nil, sourceLocation: place)
    guard hasBody else { return #expect(response.body.isEmpty, sourceLocation: place) }
    let problem = Problem(response)
    #expect(problem?.status == response.status, sourceLocation: place)
    #expect(problem?.type.isEmpty == false, sourceLocation: place)
    #expect(problem?.title.isEmpty == false, sourceLocation: place)
    #expect(problem?.detail.isEmpty == false, sourceLocation: place)
    #expect(problem?.instance == response["X-Request-Id"], sourceLocation: place)
    for secret in ["lovelace", "SELECT", "INSERT", ".swift", ".sqlite"] {
      #expect(!response.text.contains(secret), sourceLocation: place)
    }
  }
}

/// The body of an error.
struct Problem: Decodable {
  let type: String
  let title: String
  let status: Int
  let detail: String
  let instance: String

  init?(_ response: RawResponse) {
    guard let problem = try? JSONDecoder().decode(Problem.self, from: Data(response.body)) else { return nil }
    self = problem
  }
}
