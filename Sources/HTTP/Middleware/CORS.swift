/// Lets pages of every origin read every answer (the Fetch standard, "CORS protocol").
public struct CORS: ResponseAmender {
  public init() {}

  /// What lets a page read an answer, and which of its fields.
  public var fixedFields: [Field] {
    [
      Field("Access-Control-Allow-Origin", "*"),
      Field("Access-Control-Expose-Headers", "X-Request-Id, Location, Link, ETag, Retry-After"),
    ]
  }

  /// Adds to the answer of an OPTIONS request what a preflight asks for.
  public func amend(_ response: inout Response, to request: Request) {
    guard request.isPreflight, response.status == .noContent else { return }
    // Every method, whatever the route answers: a page can read a 405, but not a preflight's refusal.
    response.fields.append(Field("Access-Control-Allow-Methods", Exchange.everyMethod))
    if let headers = request.fields.accessControlRequestHeaders {
      // A list that is too long to be given back is answered with what stands for all of it.
      response.fields.append(Field("Access-Control-Allow-Headers", headers.count <= 512 ? headers.text : "*"))
    }
    response.fields.append(Field("Access-Control-Max-Age", "86400"))
  }
}
