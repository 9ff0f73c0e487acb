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
  /// None.
  public var fixedFields: [Field] { [] }
  /// Goes on.
  public func intercept(_ request: Request) -> Response? { nil }
  /// Changes nothing.
  public func amend(_ response: inout Response, to request: Request) {}
  /// Does nothing.
  public func sent(_ answer: Answer, to request: Request) {}
}

/// What went out.
public struct Answer: Sendable {
  /// The status that went out.
  public let status: Status
  /// The body's length in bytes.
  public let bytes: Int
  /// How long it took from the request line on, in nanoseconds.
  public let duration: UInt64
  /// What the log says of it.
  public let detail: String?
  /// Whether that is more than the client was told.
  public let isDetailHidden: Bool
}
