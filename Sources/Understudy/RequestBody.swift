import HTTP
import JSON

/// Reading the body of a request, with an answer for everything that can be wrong with it.
extension Request {
  /// The body as a JSON object, whatever its Content-Type says.
  ///
  /// - Throws: `Problem` 400 where it isn't one.
  func object() throws(Problem) -> JSONObject {
    do {
      return try JSONReader.object(in: body)
    } catch {
      throw .badRequest("The body is not the JSON object that is expected here; \(error.description).")
    }
  }
}

extension JSONObject {
  /// The most Unicode scalars in a name, a password, a phone number, a date.
  static let shortText = 200
  /// The most Unicode scalars in a comment.
  static let longText = 10_000

  /// A member that has to be a string.
  ///
  /// - Parameters:
  ///   - fallback: what a missing member, or null, stands for; without one it has to be there.
  ///   - mayBeEmpty: whether `""` is a value.
  ///   - limit: how many Unicode scalars it may have.
  /// - Throws: `Problem` 400, or 422 past the limit.
  func text(
    _ name: String, default fallback: String? = nil, mayBeEmpty: Bool = true, limit: Int = shortText
  ) throws(Problem) -> String {
    guard let value = self[name] else {
      if let fallback { return fallback }
      throw .badRequest("The body's member '\(name)' is missing or null: a string is expected.")
    }
    guard case .string(let text, _) = value else {
      throw .badRequest("The body's member '\(name)' is \(value.kind): a string is expected.")
    }
    guard mayBeEmpty || !text.isEmpty else {
      throw .badRequest("The body's member '\(name)' is empty: at least one character is expected.")
    }
    // A scalar is at least a byte: what is short in bytes needn't be counted.
    guard text.utf8.count <= limit || text.unicodeScalars.count <= limit else {
      throw .unprocessable(
        "The body's member '\(name)' has \(text.unicodeScalars.count) characters: at most \(limit) are taken."
      )
    }
    return text
  }

  /// A member that has to be a whole number, or a string of digits.
  ///
  /// - Throws: `Problem` 400.
  func wholeNumber(_ name: String) throws(Problem) -> Int64 {
    guard let value = self[name] else {
      throw .badRequest("The body's member '\(name)' is missing or null: a whole number is expected.")
    }
    guard let number = value.wholeNumber else {
      throw .badRequest(
        "The body's member '\(name)' is \(value.kind), but not a whole number within 64 bits, which is expected."
      )
    }
    return number
  }
}

extension Query {
  /// A parameter that, where it is there, has to be a whole number.
  ///
  /// - Throws: `Problem` 400.
  func wholeNumber(_ name: String) throws(Problem) -> Int64? {
    guard let bytes = bytes(name) else { return nil }
    guard let number = Int64(wholeNumber: bytes) else {
      throw .badRequest("The query parameter '\(name)' is not a whole number of 64 bits: one is expected.")
    }
    return number
  }

  /// A parameter that has to be there.
  ///
  /// - Throws: `Problem` 400.
  func requiredText(_ name: String) throws(Problem) -> String {
    guard let text = try text(name) else {
      throw .badRequest("The query parameter '\(name)' is missing.")
    }
    return text
  }
}
