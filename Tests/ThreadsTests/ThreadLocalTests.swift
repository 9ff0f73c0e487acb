import Synchronization
import Testing
import Threads

@Suite("An object for each thread")
struct ThreadLocalTests {
  private final class Counter {
    var count = 0
  }

  @Test("a thread finds its own object again, and no other's")
  func own() throws {
    let counters = try ThreadLocal { Counter() }
    let threads = try (1...4).map { number in
      try Thread { for _ in 0..<number * 1000 { counters.value.count += 1 } }
    }
    for thread in threads { thread.join() }
    #expect(counters.value.count == 0)
    #expect(counters.all.map(\.count).sorted() == [0, 1000, 2000, 3000, 4000])
  }

  @Test("objects end with what gave them, and the next one begins anew on the same thread")
  func end() throws {
    weak var last: Counter?
    // More often than the system has keys.
    for _ in 0..<2000 {
      let counters = try ThreadLocal { Counter() }
      counters.value.count += 1
      #expect(counters.value.count == 1)
      last = counters.value
    }
    #expect(last == nil)
  }
}
