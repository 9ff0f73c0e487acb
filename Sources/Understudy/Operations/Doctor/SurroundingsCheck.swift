import Certificates
import HTTP

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Doctor {
  // MARK: Names

  /// Whether this machine finds the names that are stood in for at itself.
  var nameFindings: [Finding] {
    let hosts = options.names.compactMap(\.hostName)
    guard !hosts.isEmpty else { return [.ok("no name is stood in for (--name)")] }
    guard options.publishedPorts.isEmpty else {
      return [
        .ok("where \(hosts.joined(separator: ", ")) leads is for the machine around this container to say")
      ]
    }
    let own = Set(machineAddresses())
    return hosts.map { host in
      let remedy = "sudo understudy hosts --apply --name \(host)"
      let found = addresses(of: host)
      guard !found.isEmpty else { return .problem("\(host) leads nowhere from this machine", remedy) }
      let others = found.filter { !$0.isLoopback && !own.contains($0) }
      let list = (others.isEmpty ? found : others).map(\.description).joined(separator: ", ")
      return others.isEmpty
        ? .ok("\(host) leads to this machine (\(list))")
        : .problem("\(host) leads to \(list) and not to this machine", remedy)
    }
  }

  // MARK: Certificates

  /// How long before its end one's own certificate is to be renewed, and how long the authority, in seconds.
  private static let notice = (own: 14 * 86_400, authority: 60 * 86_400)

  var certificateFindings: [Finding] {
    let now = time(nil)
    do throws(CertificateError) {
      if let files = Application.ownFiles(options) {
        let end = try files.read().certificate.end
        let text = "the certificate in \(files.certificate) ends on \(isoDate(end))"
        return [
          end - now > Self.notice.own
            ? .ok(text) : .problem(text, "put a new one there, and send the server SIGHUP")
        ]
      }
      let certificates = Application.certificates(in: folder)
      guard let authority = try certificates.authority() else {
        return [.ok("there is no certificate authority yet: 'understudy serve --https' makes it")]
      }
      return [authorityFinding(authority.certificate, now)]
        + (certificates.identity().map { [serverFinding($0.certificate, now)] } ?? [])
    } catch {
      return [
        .problem(
          line: Application.explain(
            certificate: error, dataFolder: options.tlsCertificate == nil ? folder : nil,
            names: options.names))
      ]
    }
  }

  private func authorityFinding(_ authority: Certificate, _ now: Int) -> Finding {
    let text = "the authority is good from \(isoDate(authority.start)) to \(isoDate(authority.end))"
    guard now >= authority.start else { return .problem(text, "wait, or set the clock") }
    return authority.end - now > Self.notice.authority
      ? .ok(text)
      : .problem(text, "make a new one with 'understudy certificate --new-authority --data \(folder)'")
  }

  private func serverFinding(_ server: Certificate, _ now: Int) -> Finding {
    let text = "the server's certificate is good from \(isoDate(server.start)) to \(isoDate(server.end))"
    return server.end > now || !isServed
      ? .ok(text + ", and renewed by itself") : .problem(text, "see why the log says that it isn't renewed")
  }

  // MARK: The clock

  /// No clock of today's says less: the year in which this was written.
  private static let earliest = 1_767_225_600

  /// Whether something was written later than now.
  var clockFinding: Finding {
    let now = time(nil)
    let text = "the clock says \(isoTime(now))"
    guard now >= Self.earliest else { return .problem("\(text), which can't be", "set it") }
    for path in [folder + "/" + DataFolder.databaseName, folder + "/tls/ca.pem"] {
      var status = stat()
      guard stat(path, &status) == 0 else { continue }
      #if canImport(Darwin)
        let written = status.st_mtimespec.tv_sec
      #else
        let written = status.st_mtim.tv_sec
      #endif
      if written > now + 60 {
        return .problem("\(text), and \(path) was written later, at \(isoTime(written))", "set the clock")
      }
    }
    return .ok(text)
  }
}

/// A moment, in seconds since 1970, as `2026-11-30 09:05 UTC`.
func isoTime(_ second: Int) -> String {
  var (time, calendar) = (time_t(second), tm())
  gmtime_r(&time, &calendar)
  func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + "\(number)" }
  return "\(isoDate(second)) \(two(calendar.tm_hour)):\(two(calendar.tm_min)) UTC"
}
