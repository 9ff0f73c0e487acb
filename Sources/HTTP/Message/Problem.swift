import JSON

/// An answer that says what was wrong with a request, what was expected, and what to do: a problem
/// details object (RFC 9457). Its text may name what the client sent, but never a secret, a path of
/// this machine or SQL.
public struct Problem: Error, Sendable {
  /// The answer's status, 400 or more.
  public let status: Status
  /// A sentence that the person who wrote the client can act on.
  public let detail: String
  /// Header fields that the answer has beyond the usual ones, `Retry-After` say.
  public var fields: [Field]
  /// Whether the connection can't be used again: what follows on it may not be a request.
  public var closesConnection = false

  public init(_ status: Status, _ detail: String, fields: [Field] = []) {
    self.status = status
    self.detail = detail
    self.fields = fields
  }

  /// 400: what was sent can't be read.
  public static func badRequest(_ detail: String) -> Problem { Problem(.badRequest, detail) }
  /// 404: there is nothing of this name.
  public static func notFound(_ detail: String) -> Problem { Problem(.notFound, detail) }
  /// 422: well formed, but it asks for what can't be.
  public static func unprocessable(_ detail: String) -> Problem { Problem(.unprocessableContent, detail) }

  /// The server can't take the request now.
  ///
  /// - Parameter seconds: when to try again.
  public static func unavailable(_ detail: String, retryAfter seconds: Int = 1) -> Problem {
    Problem(.serviceUnavailable, detail, fields: [Field("Retry-After", "\(seconds)")])
  }

  /// The server is about to end, and has done nothing of what was asked for.
  public static let shuttingDown = unavailable("The server is shutting down: try again in a moment.")

  /// The problem as a response.
  ///
  /// - Parameter instance: the request's id, by which its line in the log is found.
  func response(instance: String) -> Response {
    let body = ByteBuffer(capacity: 256)
    body.append("{\"type\":\"about:blank\",\"title\":" as StaticString)
    body.append(jsonString: status.phrase)
    body.append(",\"status\":" as StaticString)
    body.append(Int64(status.code))
    body.append(",\"detail\":" as StaticString)
    body.append(jsonString: detail)
    body.append(",\"instance\":" as StaticString)
    body.append(jsonString: instance)
    body.append(UInt8(ascii: "}"))
    var response = Response(status, type: "application/problem+json", body: .buffer(body), caching: .noStore)
    response.fields += fields
    response.detail = detail
    response.closesConnection = closesConnection
    return response
  }
}

/// An error that has an answer of its own.
public protocol ProblemRepresentable: Error {
  var problem: Problem { get }
}

extension Problem: ProblemRepresentable {
  /// Itself.
  public var problem: Problem { self }
}
