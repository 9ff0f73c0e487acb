import Certificates
import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Command {
  static let certificate = Command(
    name: "certificate",
    summary: "Says what authority 'serve --https' has in the data folder, and has it trusted.",
    options: [
      Option("data", "FOLDER", "The data folder.", standard: "./data"),
      Option(
        "name", "NAME,…", "With --new-authority: what it may vouch for, beyond private addresses.",
        standard: "what the last one might", isList: true, variable: "UNDERSTUDY_NAMES"),
      .action(
        "new-authority", "Makes a new one, which has to be trusted anew. No server may have the folder."),
      .action("install", "Has this machine trust it. \(installation)"),
      .action("simulator", "Has the booted iOS Simulator trust it (macOS)."),
      .action(
        "uninstall",
        "Takes back --install\(extent); with --simulator resets the keychain of the booted Simulator."),
    ],
    run: { arguments throws(UsageError) in
      let folder = arguments["data"] ?? "./data"
      let names = try arguments.list("name", expected: SubjectName.standIns) { SubjectName.standIn($0) }
      let (installs, uninstalls) = (try arguments.isOn("install"), try arguments.isOn("uninstall"))
      let isForSimulator = try arguments.isOn("simulator")
      guard !installs || !uninstalls else { throw UsageError("--install and --uninstall exclude each other") }
      do {
        if try arguments.isOn("new-authority") { try makeAuthority(in: folder, names: names) }
        let certificates = Application.certificates(in: folder)
        #if !canImport(Darwin)
          // What is to be taken back needs not be in the folder any more.
          if uninstalls, !isForSimulator { return try uninstall() }
        #endif
        guard let authority = try certificates.certificate() else { return complainOfNone(in: folder) }
        guard installs || uninstalls || isForSimulator else {
          describe(authority, in: certificates)
          return success
        }
        var steps: [SystemCommand] = []
        if isForSimulator {
          steps += simulatorSteps(certificates.authorityCertificate, uninstalls: uninstalls)
        }
        if installs { steps += try installSteps(authority, at: certificates.authorityCertificate) }
        #if canImport(Darwin)
          if uninstalls, !isForSimulator {
            steps += uninstallSteps(authority, at: certificates.authorityCertificate)
          }
        #endif
        return try SystemCommand.runAll(steps) ? success : failure
      } catch let error as CertificateError {
        complain(Application.explain(certificate: error, dataFolder: folder))
        return failure
      } catch {
        complain("\(error)")
        return failure
      }
    })

  private static func complainOfNone(in folder: String) -> Int32 {
    complain(
      "there is no authority in \(folder)/tls yet: 'understudy serve --https 443' makes one, or --new-authority"
    )
    return failure
  }

  private static func makeAuthority(in folder: String, names: [SubjectName]?) throws {
    let certificates = Application.certificates(in: folder)
    let old = try? certificates.certificate()
    try Application.makeAuthority(in: folder, names: names)
    guard let old else { return }
    print("The one that it replaces is still trusted where it was: \(old.commonName), \(old.fingerprint)")
    #if !canImport(Darwin)
      if DebianTrust.trusts(old) {
        print("This machine is one of them: certificate --uninstall takes that back.")
      }
    #endif
  }

  private static func describe(_ authority: Certificate, in folder: CertificateFolder) {
    var rows = [
      ("authority", folder.authorityCertificate), ("common name", authority.commonName),
      ("SHA-256", authority.fingerprint),
      ("valid", "\(isoDate(authority.start)) to \(isoDate(authority.end))"),
    ]
    let permitted =
      authority.permittedNames.map(\.description) + ["localhost", ".local", "private addresses"]
    rows.append(("vouches for", permitted.joined(separator: ", ")))
    if let identity = folder.identity(), identity.isSigned(under: authority) {
      let server = identity.certificate
      rows += [
        ("certificate", folder.server), ("names", server.names.map(\.description).joined(separator: ", ")),
        ("valid", "\(isoDate(server.start)) to \(isoDate(server.end)), renewed by itself before"),
      ]
    }
    for (name, value) in rows {
      print(name + String(repeating: " ", count: 13 - name.count) + value)
    }
  }

  // MARK: Trust

  private static var installation: String {
    #if canImport(Darwin)
      "Runs security add-trusted-cert."
    #else
      "Runs update-ca-certificates, of Debian and its kin."
    #endif
  }

  /// What beyond the folder's authority is taken back.
  private static var extent: String {
    #if canImport(Darwin)
      ""
    #else
      ", of every authority of Understudy's that this machine trusts"
    #endif
  }

  private static func simulatorSteps(_ file: String, uninstalls: Bool) -> [SystemCommand] {
    let keychain = ["xcrun", "simctl", "keychain", "booted"]
    return [SystemCommand(keychain + (uninstalls ? ["reset"] : ["add-root-cert", file]))]
  }

  #if canImport(Darwin)
    private static func installSteps(_ authority: Certificate, at file: String) -> [SystemCommand] {
      // For servers alone: not for mail, and not for programs.
      let keychain = getenv("HOME").map { String(cString: $0) + "/Library/Keychains/login.keychain-db" }
      let place = keychain.map { ["-k", $0] } ?? []
      return [
        SystemCommand(["security", "add-trusted-cert", "-r", "trustRoot", "-p", "ssl"] + place + [file])
      ]
    }

    private static func uninstallSteps(_ authority: Certificate, at file: String) -> [SystemCommand] {
      let hash = authority.fingerprint.filter { $0 != ":" }
      return [
        SystemCommand(["security", "remove-trusted-cert", file]),
        SystemCommand(["security", "delete-certificate", "-Z", hash]),
      ]
    }
  #else
    private static func installSteps(_ authority: Certificate, at file: String) throws -> [SystemCommand] {
      try DebianTrust.adding(authority, at: file)
    }

    private static func uninstall() throws -> Int32 {
      let trust = DebianTrust()
      for file in trust.foreign { complain("\(file) is no authority of Understudy's, and is left alone") }
      guard !trust.isEmpty else {
        print("this machine trusts no authority of Understudy's")
        return success
      }
      for authority in trust.certificates {
        print("no longer to be trusted: \(authority.commonName), \(authority.fingerprint)")
      }
      return try trust.takeBack() ? success : failure
    }
  #endif
}
