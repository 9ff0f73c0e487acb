/// Something that every request passes through, in one or several of the ways below.
public protocol Middleware: Sendable {
  /// Fields that every answer carries, the same for each.
  var fixedFields: [Field] { get }
}

extension Middleware {
  /// None.
  public var fixedFields: [Field] { [] }
}

/// Middleware that can answer a request in the router's place.
public protocol RequestInterceptor: Middleware {
  /// The answer; nil to go on.
  func intercept(_ request: Request) -> Response?
}

/// Middleware that changes answers.
public protocol ResponseAmender: Middleware {
  /// Changes an answer before it goes out. Prepared responses, which are the same for everyone, aren't shown.
  func amend(_ response: inout Response, to request: Request)
}

/// Middleware that looks on.
public protocol AnswerObserver: Middleware {
  /// Is told of each answer as it goes out.
  func sent(_ answer: Answer, to request: Request)
}

/// What went out.
public struct Answer: Sendable {
  /// The status that went out.
  public let status: Status
  /// The body's length in bytes.
  public let bytes: Int
  /// When, in nanoseconds of `MonotonicClock`.
  let moment: UInt64
  /// How long it took from the request line on, in nanoseconds.
  public let duration: UInt64
  /// What the log says of it.
  public let detail: String?
  /// Whether that is more than the client was told.
  public let isDetailHidden: Bool
}

/// A server's middleware, by what it does: a request passes only what has something to do with it.
final class MiddlewareChain: Sendable {
  let fixedFields: [Field]
  private let interceptors: [any RequestInterceptor]
  private let amenders: [any ResponseAmender]
  private let observers: Observers?

  /// Some that look on, and the rest of them: constants, as `MethodHandler` is one, and for the same reason.
  private final class Observers: Sendable {
    private let first: any AnswerObserver
    private let rest: Observers?

    init(_ first: any AnswerObserver, _ rest: Observers?) {
      self.first = first
      self.rest = rest
    }

    func sent(_ answer: Answer, to request: Request) {
      first.sent(answer, to: request)
      rest?.sent(answer, to: request)
    }
  }

  init(_ middleware: [any Middleware]) {
    fixedFields = middleware.flatMap(\.fixedFields)
    interceptors = middleware.compactMap { $0 as? any RequestInterceptor }
    amenders = middleware.compactMap { $0 as? any ResponseAmender }
    observers = middleware.reversed().reduce(nil) { rest, middleware in
      (middleware as? any AnswerObserver).map { Observers($0, rest) } ?? rest
    }
  }

  func intercept(_ request: Request) -> Response? {
    guard !interceptors.isEmpty else { return nil }
    for interceptor in interceptors {
      if let response = interceptor.intercept(request) { return response }
    }
    return nil
  }

  func amend(_ response: inout Response, to request: Request) {
    for amender in amenders { amender.amend(&response, to: request) }
  }

  func sent(_ answer: Answer, to request: Request) {
    observers?.sent(answer, to: request)
  }
}
