#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A command of the system's that this program runs for its user, who sees it.
struct SystemCommand: Sendable {
  /// It couldn't be started.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let words: [String]

  init(_ words: [String]) { self.words = words }

  /// One that needs root's rights: with sudo, where the user isn't root.
  static func asRoot(_ words: [String]) -> SystemCommand {
    SystemCommand(getuid() == 0 ? words : ["sudo"] + words)
  }

  /// Prints it as it would be typed, runs it, and waits for its end.
  ///
  /// - Returns: whether it did what it was to.
  /// - Throws: `Failure` where there is no such program.
  func run() throws(Failure) -> Bool {
    print("+ " + words.map(Self.quoted).joined(separator: " "))
    // What it writes comes after that line.
    fflush(nil)
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    #if canImport(Darwin)
      let environment = _NSGetEnviron().pointee
    #else
      let environment = environ
    #endif
    let status = posix_spawnp(&process, words[0], nil, nil, &arguments, environment)
    guard status == 0 else {
      throw Failure(description: "can't run \(words[0]) (\(String(cString: strerror(status))))")
    }
    var ending: Int32 = 0
    while waitpid(process, &ending, 0) < 0, errno == EINTR {}
    return ending == 0
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isPlain
      ? word
      : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
