import HTTP
import JSON

/// `/backup`, on the control socket.
struct BackupRoute {
  let services: Control.Services

  func addRoutes(to router: inout Router) {
    router.post("/backup") { [services] request in
      let body = try request.object()
      let path = try body.text("path", mayBeEmpty: false, limit: .max)
      guard path.hasPrefix("/") else { throw Problem.badRequest("The path of a backup begins with a slash.") }
      let keep = body["keep"] == nil ? nil : Int(try body.wholeNumber("keep"))
      return services.jobs.reply { completion in
        let summary = try services.backups.make(at: path, keep: keep) { services.jobs.isClosed }
        completion.succeed(
          Response(type: "application/json", body: .buffer(Self.json(summary)), caching: .noStore))
      }
    }
  }

  private static func json(_ summary: Backups.Summary) -> ByteBuffer {
    let body = ByteBuffer(capacity: 512)
    body.append("{\"path\":" as StaticString)
    body.append(jsonString: summary.path)
    for (name, number) in [
      ("bytes", Int64(summary.bytes)), ("users", summary.rows.users),
      ("observations", summary.rows.observations), ("directories", summary.rows.directories),
      ("people", summary.rows.people), ("images", Int64(summary.images)),
      ("certificates", Int64(summary.certificates)), ("strange", Int64(summary.strange)),
    ] {
      body.append(nextMember: name)
      body.append(number)
    }
    body.append(",\"leftOut\":" as StaticString)
    body.append(jsonArray: summary.leftOut) { $0.append(jsonString: $1) }
    body.append(",\"removed\":" as StaticString)
    body.append(jsonArray: summary.removed) { $0.append(jsonString: $1) }
    body.append(UInt8(ascii: "}"))
    return body
  }
}
