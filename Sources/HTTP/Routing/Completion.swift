import Synchronization

/// The duty to answer a suspended request: called once, on any thread. Where it is dropped uncalled
/// the request is answered 503, so that no connection hangs.
public final class Completion: Sendable {
  /// Makes the answer, or throws as a handler does.
  typealias Answer = @Sendable () throws -> Response

  private let finish: Mutex<(@Sendable (@escaping Answer) -> Void)?>

  init(_ finish: @escaping @Sendable (@escaping Answer) -> Void) {
    self.finish = Mutex(finish)
  }

  deinit {
    // Nearly all are answered by now, and need no problem made for them.
    guard finish.withLock({ $0 != nil }) else { return }
    complete(
      with: .failure(
        Problem.unavailable("The server is shutting down before this request had its turn: send it again.")))
  }

  /// Answers the request with a response, or as if the handler had thrown the error.
  public func complete(with result: Result<Response, any Error>) {
    complete { try result.get() }
  }

  /// Answers the request with what `answer` makes, or as if the handler had thrown its error. It runs on the
  /// thread that serves the request, not on the caller's, whose time others may wait for.
  public func complete(_ answer: @escaping @Sendable () throws -> Response) {
    let finish = finish.withLock { finish in
      defer { finish = nil }
      return finish
    }
    finish?(answer)
  }

  /// Answers the request.
  public func succeed(_ response: Response) { complete(with: .success(response)) }

  /// Answers the request as if the handler had thrown the error.
  public func fail(_ error: any Error) { complete(with: .failure(error)) }
}
