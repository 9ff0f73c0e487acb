import HTTPClient
import JSON

extension HTTPClient.Response {
  /// The answer's body; one without members where it is no object.
  var object: JSONObject {
    (try? JSONReader.object(in: body)) ?? JSONObject()
  }

  /// What a problem says of itself (RFC 9457, section 3.1.4); nil for an answer that is none.
  var problemDetail: String? {
    if case .string(let text, _)? = object["detail"] { text } else { nil }
  }
}

extension JSONObject {
  /// A member's text; empty where there is none.
  func text(_ name: String) -> String {
    if case .string(let text, _)? = self[name] { text } else { "" }
  }

  /// A member's whole number; 0 where there is none.
  func number(_ name: String) -> Int64 { self[name]?.wholeNumber ?? 0 }

  /// The texts in a member that is an array.
  func texts(_ name: String) -> [String] {
    guard case .array(let raw)? = self[name], let elements = try? JSONReader.elements(of: raw) else {
      return []
    }
    return elements.compactMap { if case .string(let text, _) = $0 { text } else { nil } }
  }

  /// The objects in a member that is an array.
  func objects(_ name: String) -> [JSONObject] {
    guard case .array(let raw)? = self[name], let elements = try? JSONReader.elements(of: raw) else {
      return []
    }
    return elements.compactMap { element in
      if case .object(let raw) = element { try? JSONReader.object(in: Array(raw)) } else { nil }
    }
  }
}
