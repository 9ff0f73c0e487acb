import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The invasive species app's calls, made as the app makes them: no property is optional, only 200 is
/// success, names and passwords go into the address as they are typed.
struct InvasiveApp {
  struct Species: Codable {
    let idspecies: Int
    let name: String
    let image: String
  }

  struct Park: Codable {
    let idpark: Int
    let name: String
    let county: String
  }

  struct User: Codable, Equatable {
    var iduser: Int
    var username: String
    var password: String
    var realname: String
    var phone: String
  }

  struct Observation: Codable, Equatable {
    var user: Int
    var species: Int
    var park: Int
    var comment: String
    var date: String
  }

  struct StoredObservation: Codable {
    let idobservation: Int
    let user: Int
    let species: Int
    let park: Int
    let comment: String
    let date: String
  }

  struct Refused: Error {
    let status: Int
  }

  let base: String

  func list<Element: Decodable>(_ path: String) async throws -> [Element] {
    let url = try #require(URL(string: base + path))
    let (data, response) = try await URLSession.shared.data(from: url)
    try check(response)
    return try JSONDecoder().decode([Element].self, from: data)
  }

  func signUp(_ user: User) async throws -> User {
    let data = try await upload(user, to: "/invasive/users")
    return try JSONDecoder().decode(User.self, from: data)
  }

  func logIn(name: String, password: String) async throws -> User {
    let url = try #require(URL(string: "\(base)/invasive/users?user=\(name)&password=\(password)"))
    let (data, response) = try await URLSession.shared.data(for: URLRequest(url: url))
    try check(response)
    return try JSONDecoder().decode(User.self, from: data)
  }

  func upload(_ body: some Encodable, to path: String) async throws -> Data {
    try await upload(try JSONEncoder().encode(body), to: path, key: nil)
  }

  /// - Parameter key: goes into Idempotency-Key.
  func upload(_ body: Data, to path: String, key: String?) async throws -> Data {
    var request = URLRequest(url: try #require(URL(string: base + path)))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    if let key { request.setValue("\"\(key)\"", forHTTPHeaderField: "Idempotency-Key") }
    let (data, response) = try await URLSession.shared.upload(for: request, from: body)
    try check(response)
    return data
  }

  private func check(_ response: URLResponse) throws {
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard status == 200 else { throw Refused(status: status) }
  }
}
