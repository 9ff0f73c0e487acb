/// The kinds of picture that another server's bytes are taken for. SVG is none of them: it can hold programs, and
/// from this server's own origin it would run them.
enum PictureType: CaseIterable {
  case png, jpeg, gif, webp, heic

  /// The extensions of its files, the usual one first.
  var extensions: [String] {
    switch self {
    case .png: ["png"]
    case .jpeg: ["jpg", "jpeg"]
    case .gif: ["gif"]
    case .webp: ["webp"]
    case .heic: ["heic"]
    }
  }

  /// What the bytes begin as; nil for nothing that is taken.
  init?(_ bytes: some Collection<UInt8>) {
    let start = Array(bytes.prefix(12))
    func holds(_ text: String, at offset: Int) -> Bool { start.dropFirst(offset).starts(with: text.utf8) }
    if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if start.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if holds("GIF87a", at: 0) || holds("GIF89a", at: 0) {
      self = .gif
    } else if holds("RIFF", at: 0), holds("WEBP", at: 8) {
      self = .webp
    } else if holds("ftyp", at: 4), ["heic", "heix", "mif1", "msf1"].contains(where: { holds($0, at: 8) }) {
      self = .heic
    } else {
      return nil
    }
  }

  /// Whether the end of a file is there, as far as its kind lets one see: asked where the server doesn't say how
  /// long it is.
  func isWhole(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .png: return bytes.suffix(8).starts(with: "IEND".utf8)
    case .jpeg: return bytes.suffix(2).elementsEqual([0xFF, 0xD9])
    case .gif: return bytes.last == 0x3B
    case .webp:
      let size = bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
      return bytes.count >= size + 8
    case .heic: return false
    }
  }
}
