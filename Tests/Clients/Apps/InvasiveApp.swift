import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The invasive species app's calls, made as the app makes them: no property is optional, only 200 is
/// success, names and passwords go into the address as they are typed.
package struct InvasiveApp {
  package struct Species: Codable {
    package let idspecies: Int
    package let name: String
    package let image: String
  }

  package struct Park: Codable {
    package let idpark: Int
    package let name: String
    package let county: String
  }

  package struct User: Codable, Equatable {
    package var iduser: Int
    package var username: String
    package var password: String
    package var realname: String
    package var phone: String

    package init(iduser: Int, username: String, password: String, realname: String, phone: String) {
      (self.iduser, self.username, self.password) = (iduser, username, password)
      (self.realname, self.phone) = (realname, phone)
    }
  }

  package struct Observation: Codable, Equatable {
    package var user: Int
    package var species: Int
    package var park: Int
    package var comment: String
    package var date: String

    package init(user: Int, species: Int, park: Int, comment: String, date: String) {
      (self.user, self.species, self.park) = (user, species, park)
      (self.comment, self.date) = (comment, date)
    }
  }

  package struct StoredObservation: Codable {
    package let idobservation: Int
    package let user: Int
    package let species: Int
    package let park: Int
    package let comment: String
    package let date: String
  }

  package struct Refused: Error {
    package let status: Int
  }

  let base: String

  /// - Parameter base: what stands before every path; the apps that aren't changed have `https://cmsc106.net`.
  package init(base: String) { self.base = base }

  /// A picture's bytes, and the type that the server gives them.
  package func picture(_ address: String) async throws -> (data: Data, mimeType: String?) {
    guard let url = URL(string: address) else { throw URLError(.badURL) }
    let (data, response) = try await URLSession.shared.data(from: url)
    try check(response)
    return (data, response.mimeType)
  }

  package func list<Element: Decodable>(_ path: String) async throws -> [Element] {
    let url = try self.url(path)
    let (data, response) = try await URLSession.shared.data(from: url)
    try check(response)
    return try JSONDecoder().decode([Element].self, from: data)
  }

  package func signUp(_ user: User) async throws -> User {
    let data = try await upload(user, to: "/invasive/users")
    return try JSONDecoder().decode(User.self, from: data)
  }

  package func logIn(name: String, password: String) async throws -> User {
    let url = try self.url("/invasive/users?user=\(name)&password=\(password)")
    let (data, response) = try await URLSession.shared.data(for: URLRequest(url: url))
    try check(response)
    return try JSONDecoder().decode(User.self, from: data)
  }

  package func upload(_ body: some Encodable, to path: String) async throws -> Data {
    try await upload(try JSONEncoder().encode(body), to: path, key: nil)
  }

  /// - Parameter key: goes into Idempotency-Key.
  package func upload(_ body: Data, to path: String, key: String?) async throws -> Data {
    var request = URLRequest(url: try url(path))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    if let key { request.setValue("\"\(key)\"", forHTTPHeaderField: "Idempotency-Key") }
    let (data, response) = try await URLSession.shared.upload(for: request, from: body)
    try check(response)
    return data
  }

  private func url(_ path: String) throws -> URL {
    guard let url = URL(string: base + path) else { throw URLError(.badURL) }
    return url
  }

  private func check(_ response: URLResponse) throws {
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard status == 200 else { throw Refused(status: status) }
  }
}
