import Synchronization

/// The duty to answer a suspended request: called once, on any thread. Where it is dropped uncalled
/// the request is answered 503, so that no connection hangs.
public final class Completion: Sendable {
  private let finish: Mutex<(@Sendable (Result<Response, any Error>) -> Void)?>

  init(_ finish: @escaping @Sendable (Result<Response, any Error>) -> Void) {
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
    let finish = finish.withLock { finish in
      defer { finish = nil }
      return finish
    }
    finish?(result)
  }

  /// Answers the request.
  public func succeed(_ response: Response) { complete(with: .success(response)) }

  /// Answers the request as if the handler had thrown the error.
  public func fail(_ error: any Error) { complete(with: .failure(error)) }
}
