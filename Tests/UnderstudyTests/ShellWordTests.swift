import Foundation
import Testing
import Understudy

@Suite("A word for a shell")
struct ShellWordTests {
  @Test(
    "is that word, whatever is in it",
    arguments: [
      "/usr/bin/understudy", "it's here", "", "a b", "$HOME", "`id`", "*", "-n", "\\n", "ä/ö", "a;b", "''",
    ])
  func word(text: String) throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "printf '%s|' \(text.shellWord)"]
    let output = Pipe()
    shell.standardOutput = output
    try shell.run()
    let written = try output.fileHandleForReading.readToEnd() ?? Data()
    shell.waitUntilExit()
    #expect(String(decoding: written, as: UTF8.self) == text + "|")
  }
}
