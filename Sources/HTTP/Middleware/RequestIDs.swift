/// Puts the request's id into every answer that isn't the same for everyone.
public struct RequestIDs: ResponseAmender {
  public init() {}

  /// Adds `X-Request-Id`.
  public func amend(_ response: inout Response, to request: Request) {
    response.fields.append(Field("X-Request-Id", request.id.description))
  }
}
