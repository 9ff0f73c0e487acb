import Foundation

// What libFuzzer's main calls (https://llvm.org/docs/LibFuzzer.html, "Fuzz Target"). Only in the
// program that `script/fuzz` builds.

/// The target that the environment names.
private let fuzzTarget: FuzzTarget? = FuzzTarget(
  rawValue: ProcessInfo.processInfo.environment["UNDERSTUDY_FUZZ"] ?? "")

// Safe to share: libFuzzer calls the function below from one thread.
nonisolated(unsafe) private let takeInput: (([UInt8]) throws -> Void)? = {
  signal(SIGPIPE, SIG_IGN)
  do {
    return try fuzzTarget?.start()
  } catch {
    fatalError("can't start: \(error)")
  }
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let takeInput else { fatalError("UNDERSTUDY_FUZZ names no target") }
  do {
    try takeInput(Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    fatalError("\(error)")
  }
  return 0
}
