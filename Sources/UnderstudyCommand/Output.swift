import Files
import Synchronization

// Its `stdout` is a variable to Swift; nobody gives it another value.
#if canImport(Darwin)
  @preconcurrency import Darwin
#else
  @preconcurrency import Glibc
#endif

/// Prints a text as Swift's own function does, and remembers where that failed.
func print(_ text: String, terminator: String = "\n") {
  if fputs(text, stdout) < 0 || fputs(terminator, stdout) < 0 { Output.failed(errno) }
}

/// Keeps what is opened later from being taken for a standard descriptor that was closed, as by a shell's `>&-`: what is
/// put in its place refuses to be read, or written to.
func keepStandardDescriptors() {
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
    // The lowest that is free, which is this one.
    _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
  }
}

/// Standard output, to whoever has to know whether all of it was written.
enum Output {
  /// Why the first write that failed did; 0 where none has.
  private static let failure = Atomic<Int32>(0)

  fileprivate static func failed(_ reason: Int32) {
    _ = failure.compareExchange(expected: 0, desired: reason, ordering: .relaxed)
  }

  /// Writes what `print` still holds.
  ///
  /// - Returns: nil where all that was printed so far is written; otherwise why it isn't, as `errno` has it.
  static func flush() -> Int32? {
    if fflush(stdout) != 0 { failed(errno) }
    let reason = failure.load(ordering: .relaxed)
    return reason == 0 ? nil : reason
  }

  /// Writes bytes, and where standard output is a file has the disk keep them.
  ///
  /// - Returns: nil where that is done; otherwise why it isn't.
  static func keep(_ bytes: [UInt8]) -> Int32? {
    if let reason = flush() { return reason }
    guard writeAll(bytes, to: STDOUT_FILENO) else { return errno }
    var status = stat()
    guard fstat(STDOUT_FILENO, &status) == 0, status.isRegularFile else { return nil }
    return flushToDisk(STDOUT_FILENO) ? nil : errno
  }

  /// Ends a command's output.
  ///
  /// - Returns: the exit status: that of the command, or failure where what it said isn't all there. Where nobody reads
  ///   any more it doesn't return: the program ends as others do, by the signal.
  static func end(_ status: Int32) -> Int32 {
    guard let reason = flush() else { return status }
    if reason == EPIPE {
      signal(SIGPIPE, SIG_DFL)
      raise(SIGPIPE)
    }
    guard status == Command.success else { return status }
    Command.complain(
      "can't write to standard output (\(String(cString: strerror(reason)))): what the command had to do is done, what it had to say isn't all there"
    )
    return Command.failure
  }
}
