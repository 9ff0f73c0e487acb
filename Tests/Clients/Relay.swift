import Foundation
import TestSupport
import Threads

/// What stands between an app and the server, passes on what each of them says, and can fail at the
/// worst moment.
final class Relay: Sendable {
  /// What goes over it, numbered from 1 over all connections.
  enum Event: Hashable, Sendable {
    /// A request, or its beginning, has been passed on to the server.
    case request(Int)
    /// An answer has come from the server and has not been passed on to the app.
    case answer(Int)
  }

  let port: UInt16
  private let listener: LoopbackSocket

  /// Listens on a free port.
  ///
  /// - Parameters:
  ///   - server: the port of the server, which needn't be there yet.
  ///   - isCut: whether the connection breaks here; called on the connection's own thread.
  init(to server: UInt16, cutting isCut: @escaping @Sendable (Event) -> Bool) throws {
    listener = try LoopbackSocket(listeningOn: 0)
    port = listener.port
    let passage = Passage(isCut: isCut)
    Thread.detachNewThread { [listener] in
      while let app = listener.accept() {
        Thread.detachNewThread {
          // Where no server is, the app's connection ends at once.
          guard let server = try? LoopbackSocket(connectedTo: server) else { return }
          passage.pass(between: app, and: server)
        }
      }
    }
  }

  deinit {
    listener.shutDown()
  }
}

/// What the connections of a relay share.
private final class Passage: Sendable {
  private let counts = Condition((requests: 0, answers: 0))
  private let isCut: @Sendable (Relay.Event) -> Bool

  init(isCut: @escaping @Sendable (Relay.Event) -> Bool) {
    self.isCut = isCut
  }

  /// Passes bytes on until one side has closed its connection, or the relay breaks it.
  func pass(between app: LoopbackSocket, and server: LoopbackSocket) {
    var isAnswering = true
    while let isFromApp = LoopbackSocket.first(of: app, server) {
      guard let bytes = (isFromApp ? app : server).read() else { return }
      // Requests come one after the other, so that an answer begins where its request has ended.
      let isNew = isFromApp == isAnswering
      isAnswering = !isFromApp
      if isFromApp {
        guard server.write(bytes), !(isNew && isCut(nextRequest())) else { return }
      } else {
        guard !(isNew && isCut(nextAnswer())), app.write(bytes) else { return }
      }
    }
  }

  private func nextRequest() -> Relay.Event {
    counts.withLock {
      $0.requests += 1
      return .request($0.requests)
    }
  }

  private func nextAnswer() -> Relay.Event {
    counts.withLock {
      $0.answers += 1
      return .answer($0.answers)
    }
  }
}
