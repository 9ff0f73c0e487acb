#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An object for each thread that asks for it, in thread-specific data (POSIX.1-2017, pthread_key_create): a thread has
/// its own to itself, without a lock. They live as long as this one, and not only as long as their threads.
public final class ThreadLocal<Value: AnyObject>: @unchecked Sendable {
  // Safe to share: the list is locked, and each object is handed to its own thread alone.
  @usableFromInline let key: pthread_key_t
  private let make: @Sendable () -> Value
  private let values = Condition<[Value]>([])

  /// - Parameter make: makes a thread's object when the thread first asks for it, on that thread.
  /// - Throws: `Thread.Exhausted` where the system has no keys left; there are at least 128.
  public init(_ make: @escaping @Sendable () -> Value) throws(Thread.Exhausted) {
    var key = pthread_key_t()
    guard pthread_key_create(&key, nil) == 0 else { throw Thread.Exhausted() }
    self.key = key
    self.make = make
  }

  deinit {
    pthread_key_delete(key)
  }

  /// The calling thread's object.
  @inlinable public var value: Value { withValue { $0 } }

  /// Hands over the calling thread's object, without counting a reference to it.
  @inlinable @inline(__always)
  public func withValue<Result>(_ body: (Value) throws -> Result) rethrows -> Result {
    let known = pthread_getspecific(key) ?? first()
    return try Unmanaged<Value>.fromOpaque(known)._withUnsafeGuaranteedRef(body)
  }

  /// Makes the calling thread's object.
  @usableFromInline
  func first() -> UnsafeMutableRawPointer {
    let value = make()
    values.withLock { $0.append(value) }
    let known = Unmanaged.passUnretained(value).toOpaque()
    pthread_setspecific(key, known)
    return known
  }

  /// Every object that there is, in the order in which their threads first asked.
  public var all: [Value] { values.withLock { $0 } }
}
