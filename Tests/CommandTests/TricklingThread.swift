import TestSupport
import Threads

/// Sends a text again and again, ten times a second, as long as the server takes it.
final class TricklingThread {
  private let thread: Threads.Thread

  init(_ client: RawClient, _ text: String, until isOver: @escaping @Sendable () -> Bool) throws {
    // Only this thread uses the client until it is joined.
    nonisolated(unsafe) let client = client
    let pause = Condition(false)
    thread = try Threads.Thread {
      while !isOver(), (try? client.send(text)) != nil { _ = pause.wait(seconds: 0.1) { _ -> Void? in nil } }
    }
  }

  func join() { thread.join() }
}
