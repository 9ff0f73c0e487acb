import Testing
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("A condition")
struct ConditionTests {
  @Test("only one thread at a time has the value")
  func exclusion() throws {
    let count = Condition(0)
    let threads = try (0..<4).map { _ in
      try Thread {
        for _ in 0..<10_000 {
          count.withLock { value in
            let read = value
            if read % 1000 == 0 { sched_yield() }
            value = read + 1
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(count.withLock { $0 } == 40_000)
  }

  @Test("the lock is free again after an error")
  func afterError() {
    struct Failure: Error {}
    let condition = Condition(0)
    #expect(throws: Failure.self) { try condition.withLock { _ in throw Failure() } }
    #expect(condition.withLock { $0 } == 0)
  }

  @Test("a wait goes on until there is a result, whatever wakes it in between")
  func waiting() throws {
    let number = Condition(0)
    let thread = try Thread {
      for _ in 0..<1000 {
        number.withLock { $0 += 1 }
        number.signal()
      }
    }
    #expect(number.wait { $0 == 1000 ? "done at \($0)" : nil } == "done at 1000")
    thread.join()
  }

  @Test("a broadcast wakes everyone")
  func broadcast() throws {
    let state = Condition((waiting: 0, isOpen: false))
    let threads = try (0..<5).map { _ in
      try Thread {
        state.wait { state in
          state.waiting += 1
          return state.isOpen ? () : nil
        }
      }
    }
    // All of them have looked once, and gone to sleep with the lock that they looked under.
    while state.withLock({ $0.waiting }) < 5 { sched_yield() }
    state.withLock { $0.isOpen = true }
    state.broadcast()
    for thread in threads { thread.join() }
  }

  @Test("a wait with an end gives nil when it has passed, not before")
  func timeout() {
    let condition = Condition(0)
    // So often that an end falls into the next second of the clock.
    for _ in 0..<11 {
      let start = MonotonicClock.now
      let result: Bool? = condition.wait(seconds: 0.1) { _ in nil }
      #expect(result == nil)
      #expect(MonotonicClock.now - start >= 90_000_000)
    }
  }

  @Test("a wait with an end gives a result that is there or that comes")
  func timelyResult() throws {
    let condition = Condition(7)
    #expect(condition.wait(seconds: 0) { $0 } == 7)
    let thread = try Thread {
      condition.withLock { $0 = 8 }
      condition.broadcast()
    }
    #expect(condition.wait(seconds: 60) { $0 == 8 ? true : nil } == true)
    thread.join()
  }
}

@Suite("A thread")
struct ThreadTests {
  @Test("join waits for the function's end")
  func join() throws {
    let result = Condition(0)
    let thread = try Thread { result.withLock { $0 = (1...100_000).reduce(0, ^) } }
    thread.join()
    #expect(result.withLock { $0 } == (1...100_000).reduce(0, ^))
  }

  @Test("what the function holds goes with its end")
  func release() throws {
    final class Held: Sendable {}
    weak var held: Held?
    let thread: Threads.Thread
    do {
      let object = Held()
      held = object
      thread = try Thread { _ = object }
    }
    thread.join()
    #expect(held == nil)
  }

  #if os(Linux)
    @Test(
      "a thread of the lowest priority is nice to all others, and only it",
      arguments: [
        (Threads.Thread.Priority.lowest, Int32(19)), (.normal, getpriority(__priority_which_t(0), 0)),
      ])
    func priority(priority: Threads.Thread.Priority, expected: Int32) throws {
      let nice = Condition<Int32>(-100)
      let before = getpriority(__priority_which_t(0), 0)
      let thread = try Thread(priority: priority) {
        let mine = getpriority(__priority_which_t(0), 0)
        nice.withLock { $0 = mine }
      }
      thread.join()
      #expect(nice.withLock { $0 } == expected)
      #expect(getpriority(__priority_which_t(0), 0) == before)
    }
  #endif
}
