import HTTP
import JSON
import SQLite

/// A park of the catalogue.
struct Park: Sendable {
  let id: Int64
  let name: String
  let county: String

  static func all(on connection: Connection) throws -> [Park] {
    try connection.rows("SELECT id, name, county FROM park ORDER BY id") { row in
      Park(id: row.integer(0), name: row.text(1), county: row.text(2))
    }
  }

  func append(to body: ByteBuffer) {
    body.append("{\"idpark\":" as StaticString)
    body.append(id)
    body.append(",\"name\":" as StaticString)
    body.append(jsonString: name)
    body.append(",\"county\":" as StaticString)
    body.append(jsonString: county)
    body.append(UInt8(ascii: "}"))
  }
}

/// `/invasive/parks`
struct ParkRoutes {
  let catalogue: ServedCatalogue

  func addRoutes(to router: inout Router) {
    router.get("/invasive/parks") { [catalogue] _ in .prepared(catalogue.current.parkList) }
    router.get("/invasive/parks/:id") { [catalogue] request in
      let id = try request.id(orNotFound: "There is no such park.")
      guard let park = catalogue.current.catalogue.parks.first(where: { $0.id == id }) else {
        throw Problem.notFound("There is no park \(id).")
      }
      let body = ByteBuffer(capacity: 256)
      park.append(to: body)
      return .now(.json(body))
    }
  }
}
