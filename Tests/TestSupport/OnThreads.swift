import Threads

/// Runs `body` for each input on a thread of its own, and waits for all: tasks that wait for a server
/// would take turns on a thread for each core.
public func onThreads<Input: Sendable, Output: Sendable>(
  _ inputs: [Input], _ body: @escaping @Sendable (Input) throws -> Output
) throws -> [Output] {
  let outputs = Outputs<Output>()
  let threads = try inputs.enumerated().map { index, input in
    try Threads.Thread {
      let result = Result { try body(input) }
      outputs.byIndex.withLock { $0[index] = result }
    }
  }
  for thread in threads { thread.join() }
  return try outputs.byIndex.withLock { byIndex in
    try byIndex.sorted { $0.key < $1.key }.map { try $0.value.get() }
  }
}

private final class Outputs<Output: Sendable>: Sendable {
  let byIndex = Condition<[Int: Result<Output, any Error>]>([:])
}
