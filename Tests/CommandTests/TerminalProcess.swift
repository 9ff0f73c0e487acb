import Foundation
import TestSupport

/// The program with somebody at its terminal.
final class TerminalProcess {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let process = Process()
  private let terminal: FileHandle
  /// What the terminal has shown so far.
  private(set) var shown = ""

  init(_ arguments: [String]) throws {
    let (descriptor, name) = try Self.openTerminal()
    let other = open(name, O_RDWR | O_NOCTTY)
    guard other >= 0 else { throw Failure(description: "there is no terminal") }
    terminal = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    let end = FileHandle(fileDescriptor: other, closeOnDealloc: true)
    process.executableURL = ServerProcess.program
    process.arguments = arguments
    process.standardInput = end
    process.standardOutput = end
    process.standardError = end
    try process.run()
  }

  private static func openTerminal() throws -> (descriptor: Int32, name: String) {
    #if canImport(Darwin)
      let descriptor = posix_openpt(O_RDWR | O_NOCTTY)
      guard descriptor >= 0, grantpt(descriptor) == 0, unlockpt(descriptor) == 0,
        let name = ptsname(descriptor)
      else { throw Failure(description: "there is no terminal") }
      return (descriptor, String(cString: name))
    #else
      // What glibc has for it Swift's module of it leaves out: TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)).
      let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var (isLocked, number): (Int32, UInt32) = (0, 0)
      guard descriptor >= 0, ioctl(descriptor, 0x4004_5431, &isLocked) == 0,
        ioctl(descriptor, 0x8004_5430, &number) == 0
      else { throw Failure(description: "there is no terminal") }
      return (descriptor, "/dev/pts/\(number)")
    #endif
  }

  deinit {
    if process.isRunning { process.terminate() }
  }

  /// Waits until the terminal shows a text.
  func expect(_ text: String) throws {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while !shown.contains(text) {
      var waiting = pollfd(fd: terminal.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 30_000) == 1 else { throw Failure(description: "only: \(shown)") }
      let count = read(terminal.fileDescriptor, &bytes, bytes.count)
      // Its end is an error on Linux.
      guard count > 0 else { throw Failure(description: "only: \(shown)") }
      shown += String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  func type(_ text: String) throws { try terminal.write(contentsOf: Data(text.utf8)) }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// - Returns: the exit status, or the number of the signal that ended it.
  func wait() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}
