import Foundation
import HTTPClient
import SQLite
import TestSupport
import Testing

@testable import Understudy

/// A database of each version of the schema that a release has had, made by that release (Databases/README.md).
@Suite("Databases of older versions")
struct UpgradeTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "Databases")

  /// Puts a copy into a folder: whoever looks into a database writes beside it.
  private static func copy(of version: Int, to folder: TemporaryFolder) throws -> URL {
    let copy = folder.url.appending(path: "understudy.sqlite")
    try FileManager.default.copyItem(at: Self.folder.appending(path: "schema-\(version).sqlite"), to: copy)
    return copy
  }

  @Test("there is one of each version up to the present one", arguments: 1...Storage.schema.version)
  func complete(version: Int) throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: Self.copy(of: version, to: folder).path, access: .readOnly)
    #expect(try connection.integer("PRAGMA user_version") == Int64(version))
    #expect(try connection.integer("PRAGMA application_id") == Int64(Storage.schema.applicationID))
  }

  @Test(
    "are served whole, and are of the present version from then on", arguments: 1...Storage.schema.version)
  func served(version: Int) throws {
    let data = try TemporaryFolder()
    let file = try Self.copy(of: version, to: data)
    let server = try ServerProcess(["--data", data.path, "--host", "127.0.0.1"])
    let client = try HTTPClient()
    func text(_ target: String) throws -> String {
      let response = try client.send(.init("GET", "http://127.0.0.1:\(server.port)\(target)"))
      #expect(response.status == 200, "\(target)")
      return String(decoding: response.body, as: UTF8.self)
    }
    // The passwords still fit.
    #expect(try text("/invasive/users?user=ada&password=lovelace").contains(#""iduser":1,"username":"ada""#))
    let key = try text("/directory/users?user=grace&password=hopper").trimmingCharacters(in: ["\""])
    #expect(
      try text("/directory/people/\(key)").contains(
        #""name":"Zoë Ångström","office":"B 12","user":1,"phone":"555 0101""#))
    #expect(
      try text("/invasive/observations") == #"""
        [{"idobservation":1,"user":1,"species":4,"park":13,"comment":"by the north shore\n“seen” 🌿","date":"2026-06-01"}]
        """#)
    #expect(try JSONSerialization.jsonObject(with: Data(text("/invasive/species").utf8)) is [Any])
    server.signal(SIGTERM)
    #expect(server.wait() == 0)

    let upgraded = try Connection(path: file.path, access: .readOnly)
    #expect(try upgraded.integer("PRAGMA user_version") == Int64(Storage.schema.version))
    #expect(try upgraded.row("PRAGMA integrity_check") { $0.text(0) } == "ok")
    let fresh = try TemporaryFolder()
    let path = fresh.url.appending(path: "new.sqlite").path
    let new = try Database(path: path, schema: Storage.schema).reader()
    // Migrated or made anew, it is the same schema.
    #expect(try Self.schema(of: upgraded) == Self.schema(of: new))
  }

  /// The tables' columns, indices and references, whatever the text they were made by.
  private static func schema(of connection: Connection) throws -> [String] {
    let columns = try connection.rows(
      """
      SELECT t.name, c.name, c.type, c."notnull", coalesce(c.dflt_value, ''), c.pk, t.strict
      FROM pragma_table_list t JOIN pragma_table_info(t.name) c WHERE t.schema = 'main' ORDER BY 1, c.cid
      """
    ) { row in "\((0..<7).map { row.text($0) })" }
    let indices = try connection.rows(
      """
      SELECT t.name, i."unique", i.origin, i.partial, group_concat(c.name)
      FROM pragma_table_list t JOIN pragma_index_list(t.name) i JOIN pragma_index_info(i.name) c
      WHERE t.schema = 'main' GROUP BY t.name, i.name ORDER BY 1, 5, 2
      """
    ) { row in "\((0..<5).map { row.text($0) })" }
    let references = try connection.rows(
      """
      SELECT t.name, f."table", f."from", coalesce(f."to", ''), f.on_update, f.on_delete
      FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) f WHERE t.schema = 'main' ORDER BY 1, 3
      """
    ) { row in "\((0..<6).map { row.text($0) })" }
    return columns + indices + references
  }
}
