import HTTP
import JSON
import SQLite

/// A species of the catalogue, as the app knows it.
struct Species: Sendable {
  let id: Int64
  let name: String
  /// The file name of a picture that this server holds, an absolute URL, or nothing.
  let image: String

  static func all(on connection: Connection) throws -> [Species] {
    try connection.rows("SELECT id, name, image FROM species ORDER BY id") { row in
      Species(id: row.integer(0), name: row.text(1), image: row.text(2))
    }
  }

  /// Appends the species as JSON.
  ///
  /// - Parameter origin: the scheme and authority under which the client reaches this server.
  func append(to body: ByteBuffer, origin: String) {
    body.append("{\"idspecies\":" as StaticString)
    body.append(id)
    body.append(",\"name\":" as StaticString)
    body.append(jsonString: name)
    body.append(",\"image\":" as StaticString)
    let isWhole = image.isEmpty || image.contains("://")
    body.append(jsonString: isWhole ? image : "\(origin)/invasive/images/\(image.percentEncoded)")
    body.append(UInt8(ascii: "}"))
  }
}

/// `/invasive/species`
struct SpeciesRoutes {
  let catalogue: ServedCatalogue
  let origin: PublicOrigin

  func addRoutes(to router: inout Router) {
    router.get("/invasive/species") { [catalogue] request in
      .prepared(catalogue.current.speciesList(for: request))
    }
    router.get("/invasive/species/:id") { [catalogue, origin] request in
      let id = try request.id(orNotFound: "There is no such species.")
      guard let species = catalogue.current.catalogue.species.first(where: { $0.id == id }) else {
        throw Problem.notFound("There is no species \(id).")
      }
      let body = ByteBuffer(capacity: 256)
      species.append(to: body, origin: origin.of(request))
      return .now(.json(body))
    }
  }
}

extension ByteBuffer {
  /// Appends a JSON array of values that write themselves.
  func append<Element>(jsonArray elements: [Element], _ write: (ByteBuffer, Element) -> Void) {
    append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      write(self, element)
    }
    append(UInt8(ascii: "]"))
  }
}
