/// Something that every request passes through.
public protocol Middleware: Sendable {
  /// Fields that every answer carries, the same for each.
  var fixedFields: [Field] { get }

  /// Answers in the router's place; nil to go on.
  func intercept(_ request: Request) -> Response?

  /// Changes an answer before it goes out. Prepared responses, which are the same for everyone,
  /// aren't shown.
  func amend(_ response: inout Response, to request: Request)

  /// Is told of each answer as it goes out.
  func sent(_ answer: Answer, to request: Request)
}

extension Middleware {
  public var fixedFields: [Field] { [] }
  public func intercept(_ request: Request) -> Response? { nil }
  public func amend(_ response: inout Response, to request: Request) {}
  public func sent(_ answer: Answer, to request: Request) {}
}

/// What went out.
public struct Answer: Sendable {
  public let status: Status
  /// The body's length in bytes.
  public let bytes: Int
  /// What the log says of it.
  public let detail: String?
}
