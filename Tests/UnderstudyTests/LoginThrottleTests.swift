import HTTP
import TestSupport
import Testing
import Threads

@testable import Understudy

@Suite("The login throttle")
struct LoginThrottleTests {
  private let clock = StoppedClock()
  private let throttle: LoginThrottle

  init() {
    throttle = LoginThrottle(.init(), now: { [clock] in clock.now })
  }

  private func keys(_ name: String, at address: String?, app: String = "invasive") -> Set<LoginThrottle.Key> {
    var keys: Set = [LoginThrottle.Key(app: app, name: name, address: nil)]
    if let address { keys.insert(.init(app: app, name: name, address: IPAddress(address)!)) }
    return keys
  }

  /// Begins a try.
  ///
  /// - Returns: the seconds after which to come again; nil where the try is let through.
  private func begin(_ keys: Set<LoginThrottle.Key>) -> Int? {
    do {
      try throttle.begin(keys)
      return nil
    } catch {
      #expect(error.status == .tooManyRequests)
      return error.fields.first { $0.name == "Retry-After" }.flatMap { Int($0.value) } ?? -1
    }
  }

  /// Tries a wrong password as often.
  ///
  /// - Returns: how many tries were let through.
  private func fail(_ keys: Set<LoginThrottle.Key>, times: Int = 1) -> Int {
    (0..<times).count { _ in
      guard begin(keys) == nil else { return false }
      throttle.end(keys, right: [])
      return true
    }
  }

  @Test("many threads at once are counted with the clock that runs between them")
  func threads() throws {
    let throttle = LoginThrottle(.init(tries: 1_000_000, triesFromAnywhere: 1_000_000))
    let threads = try (0..<4).map { _ in
      try Threads.Thread {
        let keys: Set = [LoginThrottle.Key(app: "invasive", name: "ada", address: nil)]
        for _ in 0..<50_000 {
          guard (try? throttle.begin(keys)) != nil else { continue }
          throttle.end(keys, right: [])
        }
      }
    }
    for thread in threads { thread.join() }
  }

  @Test("tries that began before a wait don't prolong it")
  func overlapping() {
    let ada = keys("ada", at: "192.0.2.1")
    for _ in 0..<16 { #expect(begin(ada) == nil) }
    for _ in 0..<16 { throttle.end(ada, right: []) }
    #expect(begin(ada) == 1)
  }

  @Test("ten wrong passwords are checked, the next try is refused for a second")
  func limit() {
    let ada = keys("ada", at: "192.0.2.1")
    #expect(fail(ada, times: 10) == 10)
    #expect(begin(ada) == 1)
    // However often it is asked: what is refused doesn't count.
    #expect(fail(ada, times: 50) == 0)
    clock.advance(seconds: 1)
    #expect(begin(ada) == nil)
  }

  @Test("the wait doubles with each failure, up to a minute")
  func doubling() {
    let ada = keys("ada", at: "192.0.2.1")
    _ = fail(ada, times: 10)
    for wait in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
      #expect(begin(ada) == wait)
      clock.advance(seconds: Double(wait) - 0.25)
      #expect(begin(ada) == 1, "a part of a second is told as a whole one")
      clock.advance(seconds: 0.25)
      #expect(fail(ada) == 1, "after \(wait) s")
    }
  }

  @Test("when the wait is over one try at a time is let through")
  func oneAtATime() {
    let ada = keys("ada", at: "192.0.2.1")
    _ = fail(ada, times: 10)
    clock.advance(seconds: 1)
    #expect(begin(ada) == nil)
    #expect(begin(ada) == 1)
    clock.advance(seconds: 100)
    #expect(begin(ada) == 1, "the try is still being checked")
    throttle.end(ada, right: [])
    #expect(begin(ada) == 2)
    clock.advance(seconds: 2)
    #expect(begin(ada) == nil)
    throttle.end(ada, right: ada)
    #expect(begin(ada) == nil)
    #expect(begin(ada) == nil)
  }

  @Test("of many threads that try when the wait is over one is let through")
  func manyThreads() throws {
    let ada = keys("ada", at: "192.0.2.1")
    _ = fail(ada, times: 10)
    clock.advance(seconds: 1)
    let passed = Condition(0)
    let threads = try (0..<8).map { [throttle] _ in
      try Thread { if (try? throttle.begin(ada)) != nil { passed.withLock { $0 += 1 } } }
    }
    for thread in threads { thread.join() }
    #expect(passed.withLock { $0 } == 1)
  }

  @Test("a right password sets the count back")
  func success() {
    let ada = keys("ada", at: "192.0.2.1")
    for _ in 0..<5 {
      #expect(fail(ada, times: 9) == 9)
      #expect(begin(ada) == nil)
      throttle.end(ada, right: ada)
    }
    #expect(fail(ada, times: 20) == 10)
  }

  @Test(
    "an address has its own count",
    arguments: [
      ("192.0.2.1", "192.0.2.2", false), ("192.0.2.1", "::ffff:192.0.2.1", true),
      ("2001:db8:1:2::1", "2001:db8:1:2:f::9", true),
      ("2001:db8:1:2::1", "2001:db8:1:3::1", false), ("2001:db8::1", "192.0.2.1", false),
    ])
  func addresses(one: String, other: String, areOne: Bool) {
    _ = fail(keys("ada", at: one), times: 10)
    #expect((begin(keys("ada", at: other)) != nil) == areOne)
  }

  @Test("a class behind one address isn't held up by one name, nor one app by the other")
  func names() {
    _ = fail(keys("ada", at: "192.0.2.1"), times: 10)
    #expect(begin(keys("bob", at: "192.0.2.1")) == nil)
    #expect(begin(keys("Ada", at: "192.0.2.1")) == nil)
    #expect(begin(keys("ada", at: "192.0.2.1", app: "directory")) == nil)
    #expect(begin(keys("ada", at: "192.0.2.1")) == 1)
  }

  @Test("a hundred wrong passwords from anywhere hold up a name everywhere")
  func anywhere() {
    for number in 0..<100 { #expect(fail(keys("ada", at: "192.0.2.\(number)")) == 1) }
    #expect(begin(keys("ada", at: "198.51.100.1")) == 1)
    #expect(begin(keys("ada", at: nil)) == 1)
    #expect(begin(keys("bob", at: "198.51.100.1")) == nil)
    clock.advance(seconds: 1)
    #expect(begin(keys("ada", at: "198.51.100.1")) == nil)
    #expect(begin(keys("ada", at: "198.51.100.2")) == 1)
  }

  @Test("a try that one count refuses doesn't use up another's one try")
  func twoCounts() {
    let throttle = LoginThrottle(.init(tries: 2, triesFromAnywhere: 3), now: { [clock] in clock.now })
    func fail(_ keys: Set<LoginThrottle.Key>) {
      #expect(throws: Never.self) { try throttle.begin(keys) }
      throttle.end(keys, right: [])
    }
    let here = keys("ada", at: "192.0.2.1")
    fail(here)
    fail(here)
    clock.advance(seconds: 0.5)
    fail(keys("ada", at: "192.0.2.2"))
    clock.advance(seconds: 0.5)
    // The wait here is over, that for everywhere is not.
    #expect(throws: Problem.self) { try throttle.begin(here) }
    clock.advance(seconds: 0.5)
    #expect(throws: Never.self) { try throttle.begin(here) }
  }

  @Test("after an hour without a failure a name is forgotten")
  func forgetting() {
    let ada = keys("ada", at: "192.0.2.1")
    #expect(fail(ada, times: 9) == 9)
    clock.advance(seconds: 3601)
    #expect(fail(ada, times: 20) == 10)
  }

  @Test("a flood of names makes it forget none that has to wait")
  func flood() {
    let ada = keys("ada", at: "192.0.2.1")
    _ = fail(ada, times: 17)
    for _ in 0..<6 {
      clock.advance(seconds: 60)
      _ = fail(ada)
    }
    for number in 0..<15_000 { _ = fail(keys("name \(number)", at: "192.0.2.1")) }
    #expect(begin(ada) == 60)
  }
}
