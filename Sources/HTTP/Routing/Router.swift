/// What a handler gives: an answer, or the promise of one.
public enum Reply {
  case now(Response)
  /// An answer that is the same for everyone.
  case prepared(PreparedResponse)
  /// The connection is suspended; then the closure runs, which sees to it that the completion is
  /// called, once, on any thread.
  case later((Completion) -> Void)
}

/// Answers a request, on the libmicrohttpd thread that got it, without blocking.
///
/// - Throws: `Problem`, or another `ProblemRepresentable` error; anything else is answered 500.
public typealias Handler = @Sendable (Request) throws -> Reply

/// A path with parameters, and what answers there.
public final class Route: Sendable {
  enum Segment: Equatable, Sendable {
    case literal(String)
    case parameter(String)
  }

  /// As it was declared, `/directory/people/:key/:id`.
  public let pattern: String
  let segments: [Segment]
  /// Its number among the routes of its router, from 1 on.
  let number: Int
  /// Which segments are parameters.
  let parameters: [Int]
  /// Which segment is one that the log doesn't show.
  let secret: Int?
  /// Whether machines ask here every few seconds, so that it is nothing to log that all is well.
  let isRoutine: Bool
  /// Whether it is answered while the server ends, too.
  let isServedToTheEnd: Bool
  private let handlers: [MethodHandler]

  /// No tuple: in one a closure is kept in a form that is made anew each time it is looked at.
  private struct MethodHandler: Sendable {
    let method: Method
    let handler: Handler
  }

  convenience init(
    _ pattern: String, number: Int, isRoutine: Bool = false, isServedToTheEnd: Bool = false
  ) {
    self.init(
      pattern, number: number, isRoutine: isRoutine, isServedToTheEnd: isServedToTheEnd, handlers: [])
  }

  private init(
    _ pattern: String, number: Int, isRoutine: Bool, isServedToTheEnd: Bool, handlers: [MethodHandler]
  ) {
    self.pattern = pattern
    self.number = number
    self.isRoutine = isRoutine
    self.isServedToTheEnd = isServedToTheEnd
    self.handlers = handlers
    segments = pattern.split(separator: "/").map { segment in
      segment.hasPrefix(":") ? .parameter(String(segment.dropFirst())) : .literal(String(segment))
    }
    secret = segments.firstIndex(of: .parameter("key"))
    parameters = segments.indices.filter { [segments] in
      if case .parameter = segments[$0] { true } else { false }
    }
  }

  /// The handler for a method; HEAD is answered as GET.
  func handler(for method: Method) -> Handler? {
    let wanted = method == .head ? .get : method
    return handlers.first { $0.method == wanted }?.handler
  }

  /// The route with one more handler.
  func adding(_ handler: @escaping Handler, for method: Method) -> Route {
    Route(
      pattern, number: number, isRoutine: isRoutine, isServedToTheEnd: isServedToTheEnd,
      handlers: handlers + [MethodHandler(method: method, handler: handler)])
  }

  /// The value of an `Allow` field (RFC 9110, section 10.2.1).
  var allow: String {
    handlers.map { $0.method == .get ? "GET, HEAD" : $0.method.name }.joined(separator: ", ") + ", OPTIONS"
  }
}

/// The tree of routes: one level for each segment of a path, a literal going before a parameter.
public struct Router: Sendable {
  private struct Node: Sendable {
    var literals: [(text: [UInt8], node: Int)] = []
    var parameter: Int?
    var route: Route?
  }

  private var nodes = [Node()]
  /// The patterns of the routes, by their numbers.
  private(set) var patterns: [String] = []

  public init() {}

  /// Adds a handler.
  ///
  /// - Parameters:
  ///   - pattern: literal segments and parameters, `/invasive/parks/:id`. A parameter called `key`
  ///     is a secret and is kept out of the log.
  ///   - isRoutine: whether machines ask every few seconds: the log has what isn't well, and the rest of it among
  ///     what is for debugging.
  ///   - isServedToTheEnd: whether it is answered, on connections that are open, while the server ends: it needs
  ///     nothing that is closed then.
  public mutating func on(
    _ method: Method, _ pattern: String, isRoutine: Bool = false, isServedToTheEnd: Bool = false,
    _ handler: @escaping Handler
  ) {
    let declared = Route(
      pattern, number: patterns.count + 1, isRoutine: isRoutine, isServedToTheEnd: isServedToTheEnd)
    var node = 0
    for segment in declared.segments { node = child(of: node, for: segment) }
    if nodes[node].route == nil { patterns.append(pattern) }
    nodes[node].route = (nodes[node].route ?? declared).adding(handler, for: method)
  }

  /// Adds a handler for GET and HEAD.
  public mutating func get(
    _ pattern: String, isRoutine: Bool = false, isServedToTheEnd: Bool = false, _ handler: @escaping Handler
  ) {
    on(.get, pattern, isRoutine: isRoutine, isServedToTheEnd: isServedToTheEnd, handler)
  }
  /// Adds a handler for POST.
  public mutating func post(_ pattern: String, _ handler: @escaping Handler) { on(.post, pattern, handler) }
  /// Adds a handler for PUT.
  public mutating func put(_ pattern: String, _ handler: @escaping Handler) { on(.put, pattern, handler) }
  /// Adds a handler for DELETE.
  public mutating func delete(_ pattern: String, _ handler: @escaping Handler) {
    on(.delete, pattern, handler)
  }

  private mutating func child(of node: Int, for segment: Route.Segment) -> Int {
    switch segment {
    case .literal(let text):
      let bytes = Array(text.utf8)
      if let known = nodes[node].literals.first(where: { $0.text == bytes }) { return known.node }
      nodes.append(Node())
      nodes[node].literals.append((bytes, nodes.count - 1))
    case .parameter:
      if let known = nodes[node].parameter { return known }
      nodes.append(Node())
      nodes[node].parameter = nodes.count - 1
    }
    return nodes.count - 1
  }

  /// The route for a target; nil where there is none.
  func route(for target: RequestTarget) -> Route? {
    guard target.isPlain else { return nil }
    var node = 0
    for index in 0..<target.segmentCount {
      let segment = target.segment(index)
      if let literal = nodes[node].literals.first(where: { segment.elementsEqual($0.text) }) {
        node = literal.node
      } else if let parameter = nodes[node].parameter {
        node = parameter
      } else {
        return nil
      }
    }
    return nodes[node].route
  }
}
