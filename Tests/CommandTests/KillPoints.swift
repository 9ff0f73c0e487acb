#if os(Linux)
  import Foundation
  import TestSupport

  /// Ends a command, as kill -9 does, before the first call that changes a file, before the second, and so on, until
  /// it comes to its end.
  struct KillPoints {
    struct Failure: Error, CustomStringConvertible {
      let description: String
    }

    private let library: URL

    /// Whether there is a C compiler for what is preloaded.
    static let isAvailable = compiler != nil

    private static let compiler = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }

    /// - Parameter folder: where the library goes.
    init(in folder: URL) throws {
      library = folder.appending(path: "kill-point.so")
      let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
        path: "KillPoint/KillPoint.c")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Self.compiler ?? "/usr/bin/cc")
      process.arguments = ["-shared", "-fPIC", "-O1", "-o", library.path, source.path, "-ldl"]
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw Failure(description: "it can't be compiled") }
    }

    /// - Parameters:
    ///   - step: so far are the points apart that are looked at.
    ///   - prepare: puts everything back to how it was at first.
    ///   - check: looks at what a killed command has left.
    /// - Returns: at how many points it was killed.
    func each(
      of arguments: [String], step: Int = 1, prepare: () throws -> Void, check: (_ point: Int) throws -> Void
    ) throws -> Int {
      var point = 1
      var kills = 0
      while true {
        try prepare()
        let (status, _, errors) = try ServerProcess.run(
          arguments, environment: ["LD_PRELOAD": library.path, "KILL_POINT": "\(point)"])
        if status == 0 { return kills }
        guard status == SIGKILL else { throw Failure(description: "at \(point): \(status) \(errors)") }
        kills += 1
        try check(point)
        point += step
      }
    }
  }
#endif
