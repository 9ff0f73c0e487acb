/// The routes that a server is to have.
public struct Router: Sendable {
  private(set) var routes: [Route] = []
  /// The patterns of the routes, by their numbers.
  var patterns: [String] { routes.map(\.pattern) }

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
      pattern, number: routes.count + 1, isRoutine: isRoutine, isServedToTheEnd: isServedToTheEnd)
    if let known = routes.firstIndex(where: { $0.shape == declared.shape }) {
      precondition(routes[known].handler(for: method) == nil, "two handlers for \(method.name) \(pattern)")
      routes[known] = routes[known].adding(handler, for: method)
    } else {
      routes.append(declared.adding(handler, for: method))
    }
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
}

/// The tree of routes: one level for each segment of a path, a literal going before a parameter. It never changes, and
/// is walked through where it lies, without counting references: all threads would count in the same places.
final class RoutingTable: @unchecked Sendable {
  // Safe to share: constant from the end of `init` to `deinit`.

  private struct Node {
    /// Where in `texts` the literal is that leads here.
    var text = 0..<0
    /// The first of the nodes that literals lead to from here, and the next of those that lead from its parent.
    var firstChild: Int?
    var nextSibling: Int?
    /// The node that anything else leads to.
    var parameter: Int?
    var route: Unmanaged<Route>?
  }

  private let routes: [Route]
  private let nodes: UnsafeMutableBufferPointer<Node>
  private let texts: UnsafeMutableBufferPointer<UInt8>

  init(_ router: Router) {
    routes = router.routes
    var nodes = [Node()]
    var texts: [UInt8] = []
    for route in routes {
      var node = 0
      for segment in route.segments { node = Self.child(of: node, for: segment, &nodes, &texts) }
      nodes[node].route = .passUnretained(route)
    }
    self.nodes = .allocate(capacity: nodes.count)
    self.texts = .allocate(capacity: texts.count)
    _ = self.nodes.initialize(from: nodes)
    _ = self.texts.initialize(from: texts)
  }

  deinit {
    nodes.deallocate()
    texts.deallocate()
  }

  private static func child(
    of node: Int, for segment: Route.Segment, _ nodes: inout [Node], _ texts: inout [UInt8]
  ) -> Int {
    let new = nodes.count
    switch segment {
    case .literal(let text):
      let bytes = Array(text.utf8)
      var child = nodes[node].firstChild
      while let known = child {
        if texts[nodes[known].text].elementsEqual(bytes) { return known }
        child = nodes[known].nextSibling
      }
      texts += bytes
      nodes.append(Node(text: texts.count - bytes.count..<texts.count, nextSibling: nodes[node].firstChild))
      nodes[node].firstChild = new
    case .parameter:
      if let known = nodes[node].parameter { return known }
      nodes.append(Node())
      nodes[node].parameter = new
    }
    return new
  }

  /// The route for a target, which lives as long as this table; nil where there is none.
  func route(for target: borrowing RequestTarget) -> Unmanaged<Route>? {
    guard target.isPlain else { return nil }
    return target.withSegments { segments in
      var node = 0
      for index in 0..<segments.count {
        guard let next = literal(segments[index], from: node) ?? nodes[node].parameter else { return nil }
        node = next
      }
      return nodes[node].route
    }
  }

  /// The node that a literal leads to.
  private func literal(_ text: UnsafeRawBufferPointer, from node: Int) -> Int? {
    var child = nodes[node].firstChild
    let texts = UnsafeRawBufferPointer(texts)
    while let index = child, !text.isSame(as: UnsafeRawBufferPointer(rebasing: texts[nodes[index].text])) {
      child = nodes[index].nextSibling
    }
    return child
  }
}
