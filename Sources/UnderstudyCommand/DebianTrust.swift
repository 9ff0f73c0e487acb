#if !canImport(Darwin)
  import Certificates
  import Files
  import Glibc

  /// The authorities of this program's that a machine of Debian's and its kin trusts, whichever data folder they are
  /// or were in (update-ca-certificates(8)).
  struct DebianTrust {
    /// An authority is where it isn't expected, or something else is in its place.
    struct Failure: Error, CustomStringConvertible {
      let description: String
    }

    /// Where Debian looks for authorities that the machine's owner trusts.
    private static let added = "/usr/local/share/ca-certificates"
    /// Where it keeps links to all that are trusted.
    private static let trusted = "/etc/ssl/certs"
    private static let configuration = "/etc/ca-certificates.conf"
    private static let update = "update-ca-certificates"

    /// The files' names without what is behind the last dot.
    private let names: [String]
    /// The certificates of those that are still there.
    let certificates: [Certificate]
    /// Files that only have such a name.
    let foreign: [String]

    /// Looks for them.
    init() {
      var (names, certificates, foreign): ([String], [Certificate], [String]) = ([], [], [])
      for name in Self.names(in: Self.added, ending: ".crt") {
        let file = Self.file(name)
        if let certificate = try? Certificate.first(in: file), Self.name(of: certificate) == name {
          names.append(name)
          certificates.append(certificate)
        } else {
          foreign.append(file)
        }
      }
      // A link alone is what is left of one whose file was removed, and Java may still trust it.
      for name in Self.names(in: Self.trusted, ending: ".pem")
      where !names.contains(name) && access(Self.file(name), F_OK) != 0 { names.append(name) }
      (self.names, self.certificates, self.foreign) = (names, certificates, foreign)
    }

    /// Whether there is nothing to take back.
    var isEmpty: Bool { names.isEmpty }

    /// Whether an authority is among them.
    static func trusts(_ authority: Certificate) -> Bool { access(file(name(of: authority)), F_OK) == 0 }

    /// What has the machine trust an authority.
    ///
    /// - Parameter path: the authority's file.
    /// - Throws: `Failure` where another file has its place.
    static func adding(_ authority: Certificate, at path: String) throws(Failure) -> [SystemCommand] {
      let file = file(name(of: authority))
      var status = stat()
      if lstat(file, &status) == 0 {
        let known = try? Certificate.first(in: file)
        guard status.isRegularFile, known?.fingerprint == authority.fingerprint else {
          throw Failure(description: "\(file) is there, and it is not this authority: move it away first")
        }
      }
      return [.asRoot(["install", "-D", "-T", "-m", "644", path, file]), .asRoot([update])]
    }

    /// Has the machine trust none of them any more.
    ///
    /// - Returns: whether everything went well.
    func takeBack() throws -> Bool {
      let files = names.map(Self.file).filter { access($0, F_OK) == 0 }
      // Of a file that is gone the command tells nobody: Java, whose store is one of its own, would go on trusting it.
      // Of one that is switched off in its configuration it does.
      let off = try SwitchedOff(names.map { $0 + ".crt" }, in: Self.configuration)
      defer { off.remove() }
      var steps: [SystemCommand] = files.isEmpty ? [] : [.asRoot(["rm", "-f"] + files)]
      steps.append(.asRoot([Self.update, "--certsconf", off.path]))
      return try SystemCommand.runAll(steps)
    }

    private static func file(_ name: String) -> String { "\(added)/\(name).crt" }

    private static func name(of authority: Certificate) -> String {
      "understudy-" + authority.fingerprint.filter { $0 != ":" }.prefix(16).lowercased()
    }

    /// The names of this program's kind in a folder.
    private static func names(in folder: String, ending: String) -> [String] {
      // Sorted, as the folder's names are.
      ((try? Files.names(in: folder)) ?? []).compactMap { name in
        guard name.hasPrefix("understudy-"), name.hasSuffix(ending) else { return nil }
        let bare = name.dropLast(ending.count)
        let digits = bare.dropFirst("understudy-".count)
        return digits.count == 16 && digits.allSatisfy(\.isHexDigit) ? String(bare) : nil
      }
    }
  }

  /// A copy of the configuration in which authorities are switched off, for one run.
  private struct SwitchedOff {
    let path: String

    init(_ files: [String], in configuration: String) throws(DebianTrust.Failure) {
      var lines = files.map { "!\($0)\n" }.joined()
      let known = open(configuration, O_RDONLY | O_CLOEXEC)
      if known >= 0 {
        defer { close(known) }
        lines = String(decoding: contents(of: known, limit: .max) ?? [], as: UTF8.self) + "\n" + lines
      }
      var template = Array("/tmp/understudy-XXXXXX".utf8CString)
      let descriptor = mkstemp(&template)
      path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard descriptor >= 0 else { throw Self.failure() }
      let isWritten = writeAll(Array(lines.utf8), to: descriptor)
      guard close(descriptor) == 0, isWritten else {
        unlink(path)
        throw Self.failure()
      }
    }

    func remove() { unlink(path) }

    private static func failure() -> DebianTrust.Failure {
      .init(description: "can't write a file in /tmp (\(String(cString: strerror(errno))))")
    }
  }
#endif
