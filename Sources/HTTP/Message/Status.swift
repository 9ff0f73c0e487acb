/// A status code with its phrase (RFC 9110, section 15; RFC 6585; RFC 4918 for 507).
public struct Status: Equatable, Sendable {
  /// The three digits.
  public let code: UInt16
  /// The words that stand for them, which are a problem's title.
  public let phrase: String

  /// RFC 9110, section 15.3.1.
  public static let ok = Status(code: 200, phrase: "OK")
  /// RFC 9110, section 15.3.5.
  public static let noContent = Status(code: 204, phrase: "No Content")
  /// RFC 9110, section 15.4.5.
  public static let notModified = Status(code: 304, phrase: "Not Modified")
  /// RFC 9110, section 15.5.1.
  public static let badRequest = Status(code: 400, phrase: "Bad Request")
  /// RFC 9110, section 15.5.2.
  public static let unauthorized = Status(code: 401, phrase: "Unauthorized")
  /// RFC 9110, section 15.5.5.
  public static let notFound = Status(code: 404, phrase: "Not Found")
  /// RFC 9110, section 15.5.6.
  public static let methodNotAllowed = Status(code: 405, phrase: "Method Not Allowed")
  /// RFC 9110, section 15.5.10.
  public static let conflict = Status(code: 409, phrase: "Conflict")
  /// RFC 9110, section 15.5.14.
  public static let contentTooLarge = Status(code: 413, phrase: "Content Too Large")
  /// RFC 9110, section 15.5.21.
  public static let unprocessableContent = Status(code: 422, phrase: "Unprocessable Content")
  /// RFC 6585, section 4.
  public static let tooManyRequests = Status(code: 429, phrase: "Too Many Requests")
  /// RFC 6585, section 5.
  public static let requestHeaderFieldsTooLarge = Status(code: 431, phrase: "Request Header Fields Too Large")
  /// RFC 9110, section 15.6.1.
  public static let internalServerError = Status(code: 500, phrase: "Internal Server Error")
  /// RFC 9110, section 15.6.4.
  public static let serviceUnavailable = Status(code: 503, phrase: "Service Unavailable")
  /// RFC 4918, section 11.5.
  public static let insufficientStorage = Status(code: 507, phrase: "Insufficient Storage")
}
