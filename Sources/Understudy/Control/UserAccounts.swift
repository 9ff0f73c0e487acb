import HTTP
import JSON
import SQLite

/// `/users/invasive` and `/users/directory`, on the control socket. Names come in bodies: in a path they would have
/// to be escaped.
struct UserAccounts {
  let services: Control.Services

  func addRoutes(to router: inout Router) {
    router.get("/users/:app") { [services] request in
      let table = try UserTable(request)
      let body = ByteBuffer(capacity: 8192)
      body.append("{\"users\":" as StaticString)
      body.append(jsonArray: try table.all(on: services.storage.readers.connection())) {
        $1.append(to: $0, of: table)
      }
      body.append(UInt8(ascii: "}"))
      return .now(Self.answer(body))
    }
  }

  private static func answer(_ body: ByteBuffer) -> Response {
    Response(type: "application/json", body: .buffer(body), caching: .noStore)
  }
}
