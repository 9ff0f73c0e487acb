#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Who sits at standard input, if somebody does.
enum Terminal {
  static var isThere: Bool { isatty(STDIN_FILENO) == 1 }

  /// Asks a question that is answered yes or no.
  static func agrees(to question: String) -> Bool {
    write(question + " [y/N] ")
    return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
  }

  /// Asks for a text that isn't shown while it is typed.
  ///
  /// - Returns: nil where that was broken off.
  static func secret(_ prompt: String) -> String? {
    var settings = termios()
    tcgetattr(STDIN_FILENO, &settings)
    var hidden = settings
    // Signals come as characters, so that none leaves the terminal without its echo.
    hidden.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    // Whoever is asked may type at once.
    write(prompt)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
      write("\n")
    }
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while read(STDIN_FILENO, &byte, 1) == 1 {
      switch byte {
      case 3, 26, 28: return nil
      case 4 where bytes.isEmpty: return nil
      case 10, 13: return String(decoding: bytes, as: UTF8.self)
      case 8, 127:
        // A character, all its bytes.
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
      case 21: bytes = []
      default: bytes.append(byte)
      }
    }
    return nil
  }

  private static func write(_ text: String) {
    _ = Output.flush()
    let bytes = Array(text.utf8)
    _ = systemWrite(STDERR_FILENO, bytes, bytes.count)
  }
}

/// The system's call, out of the reach of the method of the same name.
private func systemWrite(_ descriptor: Int32, _ bytes: [UInt8], _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
