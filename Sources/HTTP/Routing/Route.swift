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
public final class Route: @unchecked Sendable {
  // Safe to share: constant.

  enum Segment: Equatable, Sendable {
    case literal(String)
    case parameter(String)
  }

  /// As it was declared, `/directory/people/:key/:id`.
  public let pattern: String
  /// The same, to be looked at without counting a reference: all threads would count in the same place.
  let patternBytes: UnsafeRawBufferPointer
  let segments: [Segment]
  /// The same for routes that answer the same paths.
  var shape: [String?] {
    segments.map { if case .literal(let text) = $0 { text } else { nil } }
  }
  /// Its number among the routes of its router, from 1 on.
  let number: Int
  /// Which segment is one that the log doesn't show.
  let secret: Int?
  /// Those that are parameters and that it shows, a bit for each.
  private let shown: UInt64
  /// Whether machines ask here every few seconds, so that it is nothing to log that all is well.
  let isRoutine: Bool
  /// Whether it is answered while the server ends, too.
  let isServedToTheEnd: Bool
  private let handlers: MethodHandler?

  init(
    _ pattern: String, number: Int, isRoutine: Bool = false, isServedToTheEnd: Bool = false,
    handlers: MethodHandler? = nil
  ) {
    self.pattern = pattern
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: pattern.utf8.count, alignment: 1)
    bytes.copyBytes(from: pattern.utf8)
    patternBytes = UnsafeRawBufferPointer(bytes)
    self.number = number
    self.isRoutine = isRoutine
    self.isServedToTheEnd = isServedToTheEnd
    self.handlers = handlers
    segments = pattern.split(separator: "/").map { segment in
      segment.hasPrefix(":") ? .parameter(String(segment.dropFirst())) : .literal(String(segment))
    }
    secret = segments.firstIndex(of: .parameter("key"))
    shown = segments.indices.reduce(0) { [segments, secret] shown, index in
      if case .parameter = segments[index], index != secret { shown | 1 << UInt64(index) } else { shown }
    }
  }

  deinit { patternBytes.deallocate() }

  /// Whether the log shows any parameter.
  var showsParameters: Bool { shown != 0 }

  /// Whether a segment is a parameter that the log shows.
  func shows(_ segment: Int) -> Bool { shown >> UInt64(segment) & 1 != 0 }

  /// The handler for a method, which lives as long as the route; nil where it has none. HEAD is answered as GET.
  func handler(for method: Method) -> Unmanaged<MethodHandler>? {
    handlers?.handler(for: method == .head ? .get : method)
  }

  /// The route with one more handler.
  func adding(_ handler: @escaping Handler, for method: Method) -> Route {
    Route(
      pattern, number: number, isRoutine: isRoutine, isServedToTheEnd: isServedToTheEnd,
      handlers: MethodHandler(handlers, method, handler))
  }

  /// The value of an `Allow` field (RFC 9110, section 10.2.1).
  var allow: String {
    let names = (handlers?.methods ?? []).map { $0 == .get ? "GET, HEAD" : $0.name }
    return (names + ["OPTIONS"]).joined(separator: ", ")
  }
}

/// The handler of a route for a method, and behind it those for others: constants, which can be called where they are.
/// From an array each call would take a copy, and count a reference in a place that all threads share.
final class MethodHandler: Sendable {
  private let earlier: MethodHandler?
  private let method: Method
  private let handler: Handler

  /// - Parameter earlier: those that the route has already.
  init(_ earlier: MethodHandler?, _ method: Method, _ handler: @escaping Handler) {
    self.earlier = earlier
    self.method = method
    self.handler = handler
  }

  var methods: [Method] { (earlier?.methods ?? []) + [method] }

  func handler(for method: Method) -> Unmanaged<MethodHandler>? {
    self.method == method ? .passUnretained(self) : earlier?.handler(for: method)
  }

  func reply(to request: Request) throws -> Reply { try handler(request) }
}
