#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A line on the terminal that says how far something is; nothing elsewhere.
final class Progress {
  private let isShown = isatty(STDERR_FILENO) == 1
  private var isThere = false

  /// Shows a text in the place of the last one.
  func show(_ text: String) {
    guard isShown else { return }
    isThere = true
    put("\r\u{1B}[K\(text.prefix(100))")
  }

  /// Takes the line away, before something else is written.
  func clear() {
    if isThere { put("\r\u{1B}[K") }
    isThere = false
  }

  private func put(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
