import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The directory app's calls, made as the app makes them: the key is the body, read as text.
package struct DirectoryApp {
  package struct Person: Codable, Equatable {
    package var id: Int
    package var name: String
    package var office: String

    package init(id: Int, name: String, office: String) {
      (self.id, self.name, self.office) = (id, name, office)
    }
  }

  package struct StoredPerson: Codable {
    package let id: Int
    package let name: String
    package let office: String
    package let user: Int
  }

  package struct Account: Codable {
    package let name: String
    package let password: String

    package init(name: String, password: String) {
      (self.name, self.password) = (name, password)
    }
  }

  package struct Refused: Error {
    package let status: Int
  }

  let base: String

  /// - Parameter base: as for `InvasiveApp`.
  package init(base: String) { self.base = base }

  private func key(_ request: URLRequest, body: Data? = nil) async throws -> String {
    String(decoding: try await send(request, body: body), as: UTF8.self)
  }

  package func signUp(_ account: Account) async throws -> String {
    try await key(request("POST", "/directory/users"), body: try JSONEncoder().encode(account))
  }

  package func logIn(_ account: Account) async throws -> String {
    try await key(request("GET", "/directory/users?user=\(account.name)&password=\(account.password)"))
  }

  package func people(_ key: String) async throws -> [StoredPerson] {
    try JSONDecoder().decode(
      [StoredPerson].self, from: try await send(request("GET", "/directory/people/\(key)")))
  }

  package func request(_ method: String, _ path: String) throws -> URLRequest {
    guard let url = URL(string: base + path) else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.httpMethod = method
    return request
  }

  package func send(_ request: URLRequest, body: Data? = nil) async throws -> Data {
    let (data, response) =
      if let body {
        try await URLSession.shared.upload(for: request, from: body)
      } else {
        try await URLSession.shared.data(for: request)
      }
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard status == 200 else { throw Refused(status: status) }
    return data
  }
}
