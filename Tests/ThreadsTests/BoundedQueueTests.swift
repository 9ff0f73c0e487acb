import Synchronization
import Testing
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("A bounded queue")
struct BoundedQueueTests {
  @Test("elements come out in the order in which they went in")
  func order() {
    let queue = BoundedQueue<Int>(limit: 1000)
    for number in 0..<600 { #expect(queue.push(number)) }
    #expect(queue.count == 600)
    #expect((0..<300).allSatisfy { queue.pop() == $0 })
    #expect(queue.popAll(atMost: 100) == Array(300..<400))
    #expect(queue.push(600))
    #expect(queue.pop() == 400)
    #expect(queue.popAll(atMost: 1000) == Array(401...600))
    #expect(queue.count == 0)
  }

  @Test("a full queue refuses, and has room again for each element that was taken")
  func limit() {
    let queue = BoundedQueue<Int>(limit: 3)
    #expect([1, 2, 3, 4].map { queue.push($0) } == [true, true, true, false])
    #expect(queue.pop() == 1)
    #expect([5, 6].map { queue.push($0) } == [true, false])
    #expect(queue.popAll(atMost: 2) == [2, 3])
    #expect([7, 8, 9].map { queue.push($0) } == [true, true, false])
    #expect(queue.popAll(atMost: 10) == [5, 7, 8])
  }

  @Test("a queue without room takes nothing")
  func noRoom() {
    #expect(!BoundedQueue<Int>(limit: 0).push(1))
  }

  @Test("a closed queue refuses, hands out what waits, then ends")
  func close() {
    let queue = BoundedQueue<Int>(limit: 10)
    for number in 0..<4 { _ = queue.push(number) }
    queue.close()
    #expect(!queue.push(4))
    #expect(queue.pop() == 0)
    #expect(queue.popAll(atMost: 2) == [1, 2])
    #expect(queue.pop() == 3)
    #expect(queue.pop() == nil)
    #expect(queue.popAll(atMost: 2) == nil)
  }

  @Test("a queue closed with dropping has nothing left, and lets go of what waited")
  func dropping() {
    let queue = BoundedQueue<Token>(limit: 10)
    let alive = Counter()
    for _ in 0..<4 { _ = queue.push(Token(alive)) }
    queue.close(dropping: true)
    #expect(alive.value == 0)
    #expect(queue.count == 0)
    #expect(queue.pop() == nil)
  }

  @Test("whoever waits is woken by an element and by the end", arguments: [false, true])
  func waking(takesAll: Bool) throws {
    let queue = BoundedQueue<Int>(limit: 10)
    let taken = Condition<[Int]>([])
    let threads = try (0..<3).map { _ in
      try Thread {
        func next() -> [Int]? { takesAll ? queue.popAll(atMost: 1) : queue.pop().map { [$0] } }
        while let elements = next() {
          taken.withLock { $0 += elements }
          taken.broadcast()
        }
      }
    }
    for number in 0..<100 {
      #expect(queue.push(number))
      // One after the other, so that the threads have gone to sleep again.
      taken.wait { $0.count == number + 1 ? () : nil }
    }
    queue.close()
    for thread in threads { thread.join() }
    #expect(taken.withLock { $0 } == Array(0..<100))
  }

  @Test("many producers and consumers lose nothing and get nothing twice")
  func manyThreads() throws {
    let queue = BoundedQueue<Int>(limit: 64)
    let taken = Condition<[Int]>([])
    let (producers, each) = (4, 5000)
    let consuming = try (0..<3).map { index in
      try Thread {
        var mine: [Int] = []
        if index == 0 {
          while let element = queue.pop() { mine.append(element) }
        } else {
          while let elements = queue.popAll(atMost: 7) { mine += elements }
        }
        // Each thread sees each producer's elements in their order.
        for producer in 0..<producers {
          let own = mine.filter { $0 / each == producer }
          #expect(own == own.sorted())
        }
        taken.withLock { $0 += mine }
      }
    }
    let producing = try (0..<producers).map { producer in
      try Thread {
        for number in 0..<each { while !queue.push(producer * each + number) { sched_yield() } }
      }
    }
    for thread in producing { thread.join() }
    queue.close()
    for thread in consuming { thread.join() }
    #expect(taken.withLock { $0.sorted() } == Array(0..<producers * each))
  }

  @Test("an element that was taken isn't kept", arguments: [false, true])
  func lettingGo(takesAll: Bool) {
    let queue = BoundedQueue<Token>(limit: 10)
    let alive = Counter()
    _ = queue.push(Token(alive))
    // As in a busy server there is always another one, so that the queue is never empty.
    for _ in 0..<10_000 {
      _ = queue.push(Token(alive))
      _ = takesAll ? queue.popAll(atMost: 1)?.first : queue.pop()
    }
    #expect(queue.count == 1)
    #expect(alive.value == 1)
  }
}

/// A number that all threads count in.
private final class Counter: Sendable {
  private let count = Atomic(0)
  var value: Int { count.load(ordering: .sequentiallyConsistent) }
  func add(_ number: Int) { count.add(number, ordering: .sequentiallyConsistent) }
}

/// Something whose life is counted.
private final class Token: Sendable {
  private let alive: Counter

  init(_ alive: Counter) {
    self.alive = alive
    alive.add(1)
  }

  deinit { alive.add(-1) }
}
