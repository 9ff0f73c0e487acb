import CSodium
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Passwords that a command gives to users. It makes them up and hashes them itself, before it asks whoever has the
/// data folder for the change: so it holds nobody up, and a command that is stopped leaves no work behind.
public enum NewPasswords {
  /// There isn't the memory to hash one.
  public struct NoMemory: Error {}

  /// More threads than this would take a small container's memory from its server: 19 MiB each.
  private static let mostThreads = 4

  /// One that is easy to read out: 49 bits, without what looks like something else.
  public static func madeUp() -> String {
    let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
    return String((0..<10).map { _ in letters[Int.random(in: letters.indices)] })
  }

  /// The texts to store for passwords, in their order: worked out on threads of the lowest priority, one core of the
  /// machine left to others.
  ///
  /// - Parameter progress: is told how many are done, time and again.
  /// - Throws: `NoMemory`.
  public static func hashes(
    of passwords: [String], progress: (Int) -> Void
  ) throws(NoMemory) -> [String] {
    guard sodium_init() >= 0 else { throw NoMemory() }
    let work = Work(passwords)
    let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    let count = min(passwords.count, max(1, min(cores - 1, mostThreads)))
    let threads = (0..<count).compactMap { _ in try? Thread(priority: .lowest) { work.run() } }
    guard !threads.isEmpty || passwords.isEmpty else { throw NoMemory() }
    defer { for thread in threads { thread.join() } }
    var told = 0
    while told < passwords.count {
      guard let done = work.wait(beyond: told) else { throw NoMemory() }
      told = done
      progress(done)
    }
    return work.hashes
  }

  /// Passwords that threads take one after the other.
  private final class Work: Sendable {
    private struct State {
      var next = 0
      var done = 0
      var hasFailed = false
      var hashes: [String]
    }

    private let passwords: [String]
    private let state: Condition<State>

    init(_ passwords: [String]) {
      self.passwords = passwords
      state = Condition(State(hashes: Array(repeating: "", count: passwords.count)))
    }

    var hashes: [String] { state.withLock { $0.hashes } }

    func run() {
      while let index = take() {
        let hash = PasswordHasher.text(for: passwords[index])
        state.withLock { state in
          state.hashes[index] = hash ?? ""
          state.done += 1
          state.hasFailed = state.hasFailed || hash == nil
        }
        state.signal()
      }
    }

    private func take() -> Int? {
      state.withLock { state in
        guard !state.hasFailed, state.next < passwords.count else { return nil }
        defer { state.next += 1 }
        return state.next
      }
    }

    /// Waits until more than `told` are done.
    ///
    /// - Returns: how many; nil where one can't be.
    func wait(beyond told: Int) -> Int? {
      state.wait { state -> Int?? in
        if state.hasFailed { return .some(nil) }
        return state.done > told ? .some(state.done) : nil
      }
    }
  }
}
