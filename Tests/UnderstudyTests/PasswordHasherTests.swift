import HTTP
import Testing
import Threads

@testable import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Passwords")
struct PasswordHasherTests {
  private func hasher(threads: Int = 1, queueLimit: Int = 10) throws -> PasswordHasher {
    try PasswordHasher(threads: threads, queueLimit: queueLimit)
  }

  @Test(
    "only the password itself opens its hash",
    arguments: [
      ("correct horse", ["Correct horse", "correct horse ", " correct horse", "correct hors", ""]),
      ("", [" ", "\u{0}"]),
      ("a\u{0}b", ["a", "a\u{0}c", "a\u{0}b\u{0}"]),
      (String(repeating: "😀", count: 200), [String(repeating: "😀", count: 199)]),
    ])
  func verify(password: String, others: [String]) throws {
    let hasher = try hasher()
    let hash = try hasher.hash(password)
    #expect(hasher.verify(password, against: hash))
    for other in others { #expect(!hasher.verify(other, against: hash)) }
    hasher.close(dropping: false)
  }

  @Test(
    "two keyboards' ways to write one text are one password",
    arguments: [
      ("caf\u{E9}", "cafe\u{301}"), ("\u{212B}ngstr\u{F6}m", "A\u{30A}ngstro\u{308}m"),
      ("\u{D55C}", "\u{1112}\u{1161}\u{11AB}"),
    ])
  func normalized(one: String, other: String) throws {
    let hasher = try hasher()
    #expect(hasher.verify(other, against: try hasher.hash(one)))
    #expect(hasher.verify(one, against: try hasher.hash(other)))
    hasher.close(dropping: false)
  }

  @Test("equal passwords have different hashes, and none is in its hash")
  func salt() throws {
    let hasher = try hasher()
    let (one, other) = (try hasher.hash("password1"), try hasher.hash("password1"))
    #expect(one != other)
    #expect(!one.contains("password1"))
    hasher.close(dropping: false)
  }

  @Test("a name that nobody has costs the work of one that somebody has")
  func unknown() throws {
    let hasher = try hasher()
    #expect(!hasher.verify("anything", against: nil))
    // The work is what the hash's text says: version, memory, passes, lanes, and lengths.
    let unmatched = try #require(
      Mirror(reflecting: hasher).children.first { $0.label == "unmatched" }?.value as? String)
    func cost(_ hash: String) -> [String] {
      let parts = hash.split(separator: "$").map(String.init)
      return parts.prefix(3) + parts.dropFirst(3).map { "\($0.count)" }
    }
    #expect(cost(unmatched) == cost(try hasher.hash("password1")))
    #expect(cost(unmatched).prefix(3) == ["argon2id", "v=19", "m=19456,t=2,p=1"])
    hasher.close(dropping: false)
  }

  @Test("a hash that can't be read opens for nothing")
  func damaged() throws {
    let hasher = try hasher()
    for hash in ["", "password", "$argon2id$", String(try hasher.hash("password").dropLast())] {
      #expect(!hasher.verify("password", against: hash))
      #expect(!hasher.verify("", against: hash))
    }
    hasher.close(dropping: false)
  }

  /// A hasher whose only thread is held up.
  private struct Held {
    let hasher: PasswordHasher
    let gate = Condition((isReached: false, isOpen: false))

    init(queueLimit: Int) throws {
      hasher = try PasswordHasher(threads: 1, queueLimit: queueLimit)
      try hasher.submit { [gate] in
        gate.withLock { $0.isReached = true }
        gate.broadcast()
        gate.wait { $0.isOpen ? () : nil }
      }
      gate.wait { $0.isReached ? () : nil }
    }

    func release() {
      gate.withLock { $0.isOpen = true }
      gate.broadcast()
    }
  }

  @Test("more than may wait are refused with 503, and those that wait are done")
  func queue() throws {
    let held = try Held(queueLimit: 2)
    let done = Condition(0)
    for _ in 0..<2 { try held.hasher.submit { done.withLock { $0 += 1 } } }
    #expect {
      try held.hasher.submit { done.withLock { $0 += 100 } }
    } throws: { error in
      let problem = error as? Problem
      return problem?.status == .serviceUnavailable
        && problem?.fields.contains { $0.name == "Retry-After" } == true
    }
    held.release()
    held.hasher.close(dropping: false)
    #expect(done.withLock { $0 } == 2)
  }

  @Test("what waits when it is closed with dropping isn't done, and its completion is let go of")
  func dropping() throws {
    let held = try Held(queueLimit: 2)
    final class Duty: Sendable {}
    weak var duty: Duty?
    let done = Condition(false)
    do {
      let object = Duty()
      duty = object
      try held.hasher.submit {
        _ = object
        done.withLock { $0 = true }
      }
    }
    #expect(duty != nil)
    let closing = try Thread { [hasher = held.hasher] in hasher.close(dropping: true) }
    // Closed: nothing more is taken.
    while (try? held.hasher.submit {}) != nil || duty != nil { sched_yield() }
    held.release()
    closing.join()
    #expect(!done.withLock { $0 })
  }

  #if os(Linux)
    @Test("hashing gives way to everything else")
    func priority() throws {
      let hasher = try hasher()
      let nice = Condition<Int32>(0)
      try hasher.submit { nice.withLock { $0 = getpriority(__priority_which_t(0), 0) } }
      hasher.close(dropping: false)
      #expect(nice.withLock { $0 } == 19)
    }
  #endif

  @Test(
    "names are compared in normalization form C",
    arguments: [
      ("", []), ("ada", [0x61, 0x64, 0x61]), ("e\u{301}", [0xE9]), ("\u{E9}", [0xE9]), ("\u{212B}", [0xC5]),
      ("\u{1112}\u{1161}\u{11AB}", [0xD55C]), ("q\u{307}\u{323}", [0x71, 0x323, 0x307]),
      ("a\u{0}e\u{301}", [0x61, 0, 0xE9]),
      ("\u{FB01}", [0xFB01]), ("\u{958}", [0x915, 0x93C]),
      ("👩‍👩‍👧", [0x1F469, 0x200D, 0x1F469, 0x200D, 0x1F467]),
      ("É ", [0xC9, 0x20]),
    ] as [(String, [UInt32])])
  func normalization(text: String, expected: [UInt32]) {
    #expect(text.normalized.unicodeScalars.map(\.value) == expected)
  }
}
