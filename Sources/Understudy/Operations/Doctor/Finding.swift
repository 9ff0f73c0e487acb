import HTTP
import JSON

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Something that was looked at: what it is, and where it isn't well what to do.
public struct Finding: Sendable, Equatable {
  /// What was found.
  public let text: String
  /// What to do; nil where all is well.
  public let remedy: String?

  /// All is well.
  public static func ok(_ text: String) -> Finding { Finding(text: text, remedy: nil) }

  /// Something isn't.
  public static func problem(_ text: String, _ remedy: String) -> Finding {
    Finding(text: text, remedy: remedy)
  }

  /// The same from a line of the program's own, `what is wrong: what to do`.
  public static func problem(line: String) -> Finding {
    guard let colon = line.firstRange(of: ": ") else { return .problem(line, "see the log") }
    return .problem(String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
  }
}

extension Finding {
  /// `/findings` on the control socket: what only the server itself knows of how it is, for `doctor`.
  static func addRoutes(to router: inout Router, backups: BackupHealth?) {
    router.get("/findings") { _ in
      .now(
        Response(
          type: "application/json",
          body: .buffer(encoded(backups.map { [$0.finding(now: time(nil))] } ?? [])), caching: .noStore))
    }
  }

  private static func encoded(_ findings: [Finding]) -> ByteBuffer {
    let body = ByteBuffer(capacity: 256)
    body.append("{\"findings\":" as StaticString)
    body.append(jsonArray: findings) { body, finding in
      body.append("{\"text\":" as StaticString)
      body.append(jsonString: finding.text)
      if let remedy = finding.remedy {
        body.append(",\"remedy\":" as StaticString)
        body.append(jsonString: remedy)
      }
      body.append(UInt8(ascii: "}"))
    }
    body.append(UInt8(ascii: "}"))
    return body
  }
}
