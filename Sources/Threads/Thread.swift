import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A POSIX thread that runs one function to its end.
public final class Thread: @unchecked Sendable {
  // Safe to share: `handle` is written once, before `init` returns.
  private var handle: pthread_t
  private let isJoined = Atomic(false)

  /// How a thread competes for the processor.
  public enum Priority: Sendable {
    case normal
    /// Only what nobody else wants: nice 19 on Linux, the background class on macOS.
    case lowest
  }

  private final class Start {
    let priority: Priority
    let body: @Sendable () -> Void

    init(priority: Priority, body: @escaping @Sendable () -> Void) {
      self.priority = priority
      self.body = body
    }

    func run() {
      if priority == .lowest { yieldToOthers() }
      body()
    }

    private func yieldToOthers() {
      #if canImport(Darwin)
        pthread_set_qos_class_self_np(QOS_CLASS_BACKGROUND, 0)
      #else
        // On Linux a nice value belongs to the thread, and "process 0" is the calling one
        // (setpriority(2), under "C library/kernel differences").
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
      #endif
    }
  }

  /// Could not start: the system has no more threads to give.
  public struct Exhausted: Error {}

  /// Starts the thread.
  public init(
    priority: Priority = .normal, _ body: @escaping @Sendable () -> Void
  ) throws(Exhausted) {
    let start = Unmanaged.passRetained(Start(priority: priority, body: body))
    #if canImport(Darwin)
      var created: pthread_t?
      let status = pthread_create(&created, nil, runStart, start.toOpaque())
      guard status == 0, let created else {
        start.release()
        throw Exhausted()
      }
      handle = created
    #else
      var created = pthread_t()
      let status = pthread_create(&created, nil, runStart, start.toOpaque())
      guard status == 0 else {
        start.release()
        throw Exhausted()
      }
      handle = created
    #endif
  }

  deinit {
    // Let go of, a thread that nobody has joined leaves nothing behind when it ends.
    if !isJoined.exchange(true, ordering: .relaxed) { pthread_detach(handle) }
  }

  /// Waits until the thread's function has returned; at once where it has been waited for before.
  /// Not from the thread itself.
  public func join() {
    if !isJoined.exchange(true, ordering: .relaxed) { pthread_join(handle, nil) }
  }

  fileprivate static func started(_ start: UnsafeMutableRawPointer?) {
    guard let start else { return }
    Unmanaged<Start>.fromOpaque(start).takeRetainedValue().run()
  }
}

#if canImport(Darwin)
  private func runStart(_ start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Thread.started(start)
    return nil
  }
#else
  private func runStart(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Thread.started(start)
    return nil
  }
#endif
