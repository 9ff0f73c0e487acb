import Understudy

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

  /// Runs commands one after the other, as long as each does what it is to.
  ///
  /// - Returns: whether all of them did.
  /// - Throws: `Failure` where one of them isn't on this machine; none has been run then.
  static func runAll(_ commands: [SystemCommand]) throws(Failure) -> Bool {
    searchSystemFolders()
    for command in commands { try command.find() }
    for command in commands where try !command.run() { return false }
    return true
  }

  /// Has programs found, by this one and by those that it runs, that are only meant for root: on Debian a user's
  /// search path doesn't lead to them.
  private static func searchSystemFolders() {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    let known = path.split(separator: ":")
    let missing = ["/usr/local/sbin", "/usr/sbin", "/sbin"].filter { !known.contains($0[...]) }
    // This program has but one thread yet.
    setenv("PATH", ([path] + missing).joined(separator: ":"), 1)
  }

  /// - Throws: `Failure` where there is no such program.
  private func find() throws(Failure) {
    let folders = getenv("PATH").map { String(cString: $0) }?.split(separator: ":") ?? []
    for word in words.prefix(words.first == "sudo" ? 2 : 1)
    where !folders.contains(where: { access("\($0)/\(word)", X_OK) == 0 }) {
      throw Failure(description: "there is no \(word) on this machine: nothing has been changed")
    }
  }

  /// Prints it as it would be typed, runs it, and waits for its end.
  ///
  /// - Returns: whether it did what it was to.
  /// - Throws: `Failure` where there is no such program.
  private func run() throws(Failure) -> Bool {
    print("+ " + words.map(\.shellWord).joined(separator: " "))
    // What it writes comes after that line.
    _ = Output.flush()
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
}
