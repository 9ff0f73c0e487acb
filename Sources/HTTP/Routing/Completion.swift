import Synchronization

/// The duty to answer a suspended request: called once, on any thread. Where it is dropped uncalled
/// the request is answered 503, so that no connection hangs.
public final class Completion: Sendable {
  private let finish: Mutex<(@Sendable (Response?, (any Error)?) -> Void)?>

  init(_ finish: @escaping @Sendable (Response?, (any Error)?) -> Void) {
    self.finish = Mutex(finish)
  }

  deinit {
    call(
      nil, Problem.unavailable("The server is shutting down before this request had its turn: send it again.")
    )
  }

  private func call(_ response: Response?, _ error: (any Error)?) {
    let finish = finish.withLock { finish in
      defer { finish = nil }
      return finish
    }
    finish?(response, error)
  }

  /// Answers the request.
  public func succeed(_ response: Response) { call(response, nil) }

  /// Answers the request as if the handler had thrown the error.
  public func fail(_ error: any Error) { call(nil, error) }
}
