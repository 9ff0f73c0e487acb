import Files
import Foundation
import Testing

@Suite("The file system")
final class FileSystemTests {
  private let place: String

  init() throws { place = try makeTemporaryFolder() }

  deinit { removeTree(place) }

  @Test("a folder of thousands of files is read to its end, and not beyond it")
  func names() throws {
    // Short names, so that the last one that readdir has at a time is near the end of its buffer.
    let names = (0..<5000).map { "\($0)" }
    for name in names { #expect(FileManager.default.createFile(atPath: place + "/" + name, contents: nil)) }
    #expect(try Files.names(in: place) == names.sorted())
    removeTree(place)
    #expect(!FileManager.default.fileExists(atPath: place))
  }

  @Test("a file is read to its end, and one that is longer than it may be is refused")
  func limit() throws {
    let path = place + "/file"
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
    try writeNewFile(path, bytes, mode: 0o640)
    #expect(status(of: path)?.st_mode == S_IFREG | 0o640)
    func read(limit: Int) -> [UInt8]? {
      let descriptor = open(path, O_RDONLY)
      defer { close(descriptor) }
      return contents(of: descriptor, limit: limit)
    }
    #expect(read(limit: bytes.count) == bytes)
    #expect(read(limit: bytes.count - 1) == nil)
    try copyFile(path, to: place + "/copy")
    #expect(try Data(contentsOf: URL(fileURLWithPath: place + "/copy")) == Data(bytes))
  }

  @Test("what is there already is neither written over nor copied to")
  func exclusive() throws {
    let path = place + "/file"
    try writeNewFile(path, [1])
    #expect { try writeNewFile(path, [2]) } throws: { ($0 as? FileError)?.number == EEXIST }
    #expect { try copyFile(path, to: path) } throws: { ($0 as? FileError)?.number == EEXIST }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1]))
  }

  @Test(
    "the folder that something is in", arguments: [("a", "."), ("/a", "/"), ("a/b", "a"), ("/a/b/c", "/a/b")])
  func parent(path: String, folder: String) {
    #expect(Files.folder(of: path) == folder)
  }
}
