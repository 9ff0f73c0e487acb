import Foundation

/// A folder that goes with the test.
final class TemporaryFolder {
  let url = FileManager.default.temporaryDirectory.appending(path: "understudy-tests-\(UUID().uuidString)")
  var path: String { url.path }

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// The path of something in it.
  func path(_ name: String) -> String { url.appending(path: name).path }

  /// Writes a file, in one step.
  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: url.appending(path: name), options: .atomic)
  }

  func setModified(_ name: String, _ date: Date) throws {
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path(name))
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }
}
