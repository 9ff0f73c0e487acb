import Certificates
import Files
import HTTP

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Application {
  /// The files of one's own that were asked for.
  static func ownFiles(_ options: Options) -> ServerIdentity.Files? {
    guard let certificate = options.tlsCertificate, let key = options.tlsKey else { return nil }
    return ServerIdentity.Files(certificate: certificate, key: key, names: options.names)
  }

  /// The folder of the authority in a data folder.
  public static func certificates(in dataFolder: String) -> CertificateFolder {
    CertificateFolder(dataFolder + "/tls")
  }

  /// - Throws: `CertificateError` where HTTPS is asked for and what is there can't do it. Nothing is changed.
  static func checkCertificates(_ options: Options, dataFolder: String) throws(CertificateError) {
    guard !options.httpsPorts.isEmpty else { return }
    if let files = ownFiles(options) {
      _ = try files.read()
    } else if let authority = try certificates(in: dataFolder).authority() {
      let refused = options.names.filter { !authority.permits($0) }
      guard refused.isEmpty else {
        throw .notPermitted(certificates(in: dataFolder).authorityCertificate, refused)
      }
    }
  }

  /// Who the server is over TLS: from one's own files, or from the data folder's authority, which is made where there
  /// is none.
  static func makeIdentity(_ options: Options, dataFolder: String, log: Log) throws -> ServerIdentity? {
    guard !options.httpsPorts.isEmpty else { return nil }
    if let files = ownFiles(options) { return try ServerIdentity(files, log: log) }
    let folder = certificates(in: dataFolder)
    for change in folder.keepKeysPrivate() {
      log.write(.warning, "a key was open to others", [("detail", .text(change))])
    }
    let authority =
      try folder.authority() ?? folder.makeAuthority(host: hostName, names: options.names)
    return try ServerIdentity(
      ServerIdentity.Issuer(
        folder: folder, authority: authority, names: options.names, lifetime: options.certificateLifetime,
        dataFolder: dataFolder),
      period: options.certificatePeriod, log: log)
  }

  /// Makes a new authority in a data folder, in the place of one that may be there.
  ///
  /// - Parameter names: what it may sign for, beyond what is nobody's; nil for what the last one might.
  /// - Throws: `StartError`, where a server has the folder too; nothing has been changed then.
  public static func makeAuthority(in dataFolder: String, names: [SubjectName]?) throws(StartError) {
    var options = Options()
    options.dataFolder = dataFolder
    do {
      // Held meanwhile, so that no server begins with half of it.
      let folder = try DataFolder(path: dataFolder, patience: FolderLock.patience)
      try withExtendedLifetime(folder) {
        let certificates = certificates(in: folder.path)
        let known = (try? certificates.certificate())?.permittedNames
        try certificates.makeAuthority(host: hostName, names: names ?? known ?? [])
      }
    } catch {
      throw StartError(error, description: explain(error, options))
    }
  }

  /// Whether SIGHUP is for reading the certificate again, and not for ending.
  public var canRereadCertificate: Bool { identity?.canReread == true }

  /// Reads one's own certificate again; where that can't be used, clients are shown what they were before.
  public func rereadCertificate() { identity?.reread() }

  /// The option that a port came from.
  static func portOption(_ port: UInt16, _ options: Options) -> String {
    options.httpsPorts.contains(port) ? "--https" : "--port"
  }

  /// How to get the right to a port under 1024.
  static func rights(_ port: UInt16, _ options: Options) -> String {
    let other = "choose one above 1023 with \(portOption(port, options))"
    #if canImport(Darwin)
      return "run it with sudo, or \(other)"
    #else
      let inside =
        options.httpsPorts.contains(port) ? "8443 with --https 8443 --published \(port):8443" : "8080"
      return
        "give the program the right (sudo setcap cap_net_bind_service=+ep \(programPath)), everybody (sudo sysctl net.ipv4.ip_unprivileged_port_start=\(port)), in a container map the port (--publish \(port):\(inside)), or \(other)"
    #endif
  }

  #if !canImport(Darwin)
    /// Where this program is, as a shell takes it.
    private static var programPath: String {
      resolved("/proc/self/exe")?.shellWord ?? "PROGRAM"
    }
  #endif

  /// What is wrong with certificates, and what to do.
  ///
  /// - Parameters:
  ///   - dataFolder: where the authority is; nil for one's own files.
  ///   - names: what a new authority would have to be for.
  public static func explain(
    certificate error: CertificateError, dataFolder: String?, names: [SubjectName] = []
  ) -> String {
    let others =
      dataFolder.map { newAuthority(in: $0, names: names) } ?? "name others with --tls-cert and --tls-key"
    let another = dataFolder == nil ? others : "put a copy of it back, or \(others)"
    return switch error {
    case .unreadable(let path, let reason): "can't read \(path) (\(reason)): \(another)"
    case .forbidden(let path, let owner):
      "this user may not read \(path), whose owner is \(owner): run this as that user, or with sudo"
    case .unwritable(let path, let reason):
      "can't write \(path) (\(reason)): make the folder writable, or choose another one with --data"
    case .noCertificate(let path): "there is no sound certificate in \(path)\(purpose(path)): \(another)"
    case .noKey(let path):
      "there is no private key in \(path)\(purpose(path)), or one that is damaged or has a passphrase: \(another)"
    case .mismatch(let certificate, let key) where certificate == key:
      "the key in \(key) is not the one of its certificate: \(another)"
    case .mismatch(let certificate, let key):
      "\(key) is not the key of the certificate in \(certificate): \(another)"
    case .ended(let path, let end): "the certificate in \(path) ended on \(isoDate(end)): \(others)"
    case .notYet(let path, let start):
      "the certificate in \(path) begins only on \(isoDate(start)): wait, set the clock, or \(others)"
    case .clock(let now):
      "the clock of this machine says \(isoDate(now)), and a certificate of today would be no good tomorrow: set the clock first"
    case .doesNotCover(let path, let name):
      "the certificate in \(path) is not for \(name): \(others), or leave out --name \(name)"
    case .notPermitted(let path, let names):
      "the authority in \(path) may not sign for \(list(names)): \(others), and trust it instead"
    case .failed(let reason): "can't make a certificate (\(reason))"
    }
  }

  /// What a file of an authority's is, whose name doesn't say it.
  private static func purpose(_ path: String) -> String {
    path.hasSuffix("/ca.key") ? ", which has the certificate and the key by which the authority signs" : ""
  }

  private static func newAuthority(in dataFolder: String, names: [SubjectName]) -> String {
    let option = names.isEmpty ? "" : " --name \(list(names))"
    return "make a new authority with 'understudy certificate --new-authority --data \(dataFolder)\(option)'"
  }

  private static func list(_ names: [SubjectName]) -> String {
    names.map(\.description).joined(separator: ",")
  }
}
