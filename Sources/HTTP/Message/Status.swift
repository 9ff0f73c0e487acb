/// A status code with its phrase (RFC 9110, section 15; RFC 6585; RFC 4918 for 507).
public struct Status: Equatable, Sendable {
  public let code: UInt16
  public let phrase: String

  public static let ok = Status(code: 200, phrase: "OK")
  public static let noContent = Status(code: 204, phrase: "No Content")
  public static let notModified = Status(code: 304, phrase: "Not Modified")
  public static let badRequest = Status(code: 400, phrase: "Bad Request")
  public static let unauthorized = Status(code: 401, phrase: "Unauthorized")
  public static let notFound = Status(code: 404, phrase: "Not Found")
  public static let methodNotAllowed = Status(code: 405, phrase: "Method Not Allowed")
  public static let conflict = Status(code: 409, phrase: "Conflict")
  public static let contentTooLarge = Status(code: 413, phrase: "Content Too Large")
  public static let unprocessableContent = Status(code: 422, phrase: "Unprocessable Content")
  public static let tooManyRequests = Status(code: 429, phrase: "Too Many Requests")
  public static let requestHeaderFieldsTooLarge = Status(code: 431, phrase: "Request Header Fields Too Large")
  public static let internalServerError = Status(code: 500, phrase: "Internal Server Error")
  public static let serviceUnavailable = Status(code: 503, phrase: "Service Unavailable")
  public static let insufficientStorage = Status(code: 507, phrase: "Insufficient Storage")
}
