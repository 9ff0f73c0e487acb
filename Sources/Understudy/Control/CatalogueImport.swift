import HTTP
import JSON
import SQLite

/// `/import/species` and `/import/parks`, which take a CSV file, and `/import/catalogue`, which takes both tables
/// as an object of the lists that the apps get: on the control socket. With `dry-run` in the query it is only said what
/// would be changed; with `allow-renaming` an id that observations refer to may get another name.
struct CatalogueImport {
  let services: Control.Services

  func addRoutes(to router: inout Router) {
    router.post("/import/:what") { [self] request in
      let what = request.parameter("what") ?? ""
      guard what == "catalogue" || CatalogueTable(rawValue: what) != nil else {
        throw Problem.notFound("There is no such table: species, parks and catalogue can be imported.")
      }
      let query = request.target.query()
      let isTrial = query.bytes("dry-run") != nil
      let allowsRenaming = query.bytes("allow-renaming") != nil
      let body = request.body
      // Reading a long file takes its time.
      return services.jobs.reply { completion in
        let tables = try Self.read(body, of: what)
        if isTrial {
          completion.succeed(try tryOut(tables, allowsRenaming: allowsRenaming))
        } else {
          change(tables, allowsRenaming: allowsRenaming, completion)
        }
      }
    }
  }

  /// - Throws: `Problem` 422 with all that is wrong, a line for each.
  private static func read(_ body: [UInt8], of what: String) throws -> [CatalogueRows] {
    do {
      if let table = CatalogueTable(rawValue: what) { return [try CatalogueRows(table, csv: body)] }
      let catalogue = try JSONReader.object(in: body)
      return try CatalogueTable.allCases.map { table in
        try CatalogueRows(table, json: Array(catalogue[table.rawValue]?.raw ?? []))
      }
    } catch let mistakes as CatalogueRows.Mistakes {
      throw Problem.unprocessable(mistakes.description)
    } catch let error as JSONError {
      throw Problem.badRequest("The body is not a catalogue; \(error.description).")
    }
  }

  private static func compare(
    _ tables: [CatalogueRows], allowsRenaming: Bool, on connection: Connection
  ) throws -> [CatalogueChange] {
    let changes = try tables.map {
      try CatalogueChange($0, allowsRenaming: allowsRenaming, on: connection)
    }
    try CatalogueChange.requireAllowed(changes)
    return changes
  }

  /// On a connection of its own: it runs on a thread that is gone afterwards.
  private func tryOut(_ tables: [CatalogueRows], allowsRenaming: Bool) throws -> Response {
    let connection = try services.database.reader()
    return Self.answer(try Self.compare(tables, allowsRenaming: allowsRenaming, on: connection))
  }

  private func change(_ tables: [CatalogueRows], allowsRenaming: Bool, _ completion: Completion) {
    let isAccepted = services.storage.writer.submit { connection in
      let changes = try Self.compare(tables, allowsRenaming: allowsRenaming, on: connection)
      for change in changes { try change.apply(on: connection) }
      return (Self.answer(changes), try Catalogue(on: connection))
    } completion: { [catalogue = services.catalogue] result in
      completion.complete(
        with: result.map { response, new in
          // Before anybody is told: from then on no app gets the old one.
          catalogue.replace(with: new)
          return response
        })
    }
    if !isAccepted {
      completion.fail(
        Problem.unavailable("More changes wait to be written than the server takes: try again."))
    }
  }

  private static func answer(_ changes: [CatalogueChange]) -> Response {
    let body = ByteBuffer(capacity: 512)
    body.append("{\"summary\":" as StaticString)
    body.append(jsonString: changes.flatMap(\.summary).joined(separator: "\n"))
    body.append(UInt8(ascii: "}"))
    return Response(type: "application/json", body: .buffer(body), caching: .noStore)
  }
}
