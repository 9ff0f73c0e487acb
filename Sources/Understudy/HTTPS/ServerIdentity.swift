import Certificates
import HTTP
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Who the server is for the clients of its encrypted ports, kept current: with files of one's own they are read
/// again when it is told to; with an authority of its own, a thread renews the certificate before it ends and when
/// the machine has got an address that it isn't for.
final class ServerIdentity: Sendable {
  /// Files of one's own.
  struct Files: Sendable {
    let certificate: String
    let key: String
    /// What the certificate has to be for.
    let names: [SubjectName]

    func read() throws(CertificateError) -> Identity {
      let identity = try Identity(certificateFile: certificate, keyFile: key)
      try identity.check(for: names, at: time(nil), path: certificate)
      return identity
    }

    /// Reads them, and says what clients won't like of them.
    func read(_ log: Log) throws(CertificateError) -> Identity {
      let identity = try read()
      for weakness in identity.weaknesses {
        log.write(
          .warning, "clients will refuse the certificate", [("detail", .text("\(certificate): \(weakness)"))])
      }
      return identity
    }
  }

  /// An authority and what it is to sign for.
  struct Issuer: Sendable {
    let folder: CertificateFolder
    let authority: CertificateAuthority
    let names: [SubjectName]
    /// How long a certificate lasts, in seconds.
    let lifetime: Int

    /// The names that were asked for, this machine's own, and the addresses that it has at the moment, as far as the
    /// authority may sign for them: an address of the internet's belongs to somebody else tomorrow.
    var wanted: [SubjectName] {
      var wanted = names + [.host("localhost")]
      if let local = Self.localName { wanted.append(local) }
      for address in machineAddresses() {
        // An address that needs an interface's name beside it stands in no URL.
        guard address.isIPv4 || !address.isLinkLocal else { continue }
        if let name = SubjectName(address.description), authority.permits(name) { wanted.append(name) }
      }
      var seen: Set<SubjectName> = []
      return wanted.filter { seen.insert($0).inserted }
    }

    /// The name under which multicast DNS finds this machine.
    private static var localName: SubjectName? {
      SubjectName(hostName.prefix { $0 != "." } + ".local")
    }

    /// As it is typed, for who is to be told what to do.
    let dataFolder: String

    func identity() throws(CertificateError) -> Identity {
      try folder.identity(from: authority, for: wanted, lifetime: lifetime)
    }
  }

  /// What clients are shown.
  let current: CurrentIdentity
  private let files: Files?
  private let log: Log
  private let isClosed = Condition(false)
  /// Nil where files of one's own are shown.
  private let renewal: Thread?

  /// Begins with files of one's own.
  init(_ files: Files, log: Log) throws(CertificateError) {
    current = CurrentIdentity(try files.read(log))
    self.files = files
    self.log = log
    renewal = nil
  }

  /// Begins with an authority of its own.
  ///
  /// - Parameter period: how often it is looked whether there has to be another certificate, in seconds.
  init(_ issuer: Issuer, period: Double, log: Log) throws {
    current = CurrentIdentity(try issuer.identity())
    files = nil
    self.log = log
    // Looked for and not waited for: what tells of new addresses is another thing on each system (netlink, the routing
    // socket), while looking takes some microseconds.
    renewal = try Thread { [current, isClosed] in
      var lastFailure: String?
      while isClosed.wait(seconds: period, until: { $0 ? () : nil }) == nil {
        do throws(CertificateError) {
          guard
            current.value.certificate.needsRenewal(for: issuer.wanted, from: issuer.authority, now: time(nil))
          else { continue }
          current.value = try issuer.identity()
          log.write(
            .info, "renewed the certificate",
            [("names", .text(current.value.certificate.names.map(\.description).joined(separator: " ")))])
          lastFailure = nil
        } catch {
          // Once, and not every few seconds.
          let failure = Application.explain(
            certificate: error, dataFolder: issuer.dataFolder, names: issuer.names)
          if failure != lastFailure {
            log.write(.error, "can't renew the certificate", [("detail", .text(failure))])
          }
          lastFailure = failure
        }
      }
    }
  }

  deinit {
    close()
  }

  /// Whether there are files that can be read again.
  var canReread: Bool { files != nil }

  /// Reads one's own files again. Where they can't be used, clients are shown what they were before.
  func reread() {
    guard let files else { return }
    do {
      current.value = try files.read(log)
      log.write(
        .info, "read the certificate again", [("ends", .text(isoDate(current.value.certificate.end)))])
    } catch {
      log.write(
        .error, "kept the certificate that it had",
        [("detail", .text(Application.explain(certificate: error, dataFolder: nil)))])
    }
  }

  /// Ends the thread, and waits for that: the next server in this folder is the only one that writes there.
  func close() {
    isClosed.withLock { $0 = true }
    isClosed.broadcast()
    renewal?.join()
  }
}

/// What this machine calls itself.
var hostName: String {
  var name = [CChar](repeating: 0, count: 256)
  gethostname(&name, name.count - 1)
  return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
