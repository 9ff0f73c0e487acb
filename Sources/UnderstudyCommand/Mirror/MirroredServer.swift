import HTTPClient
import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The server that is mirrored, asked politely: one request after the other on one connection, and where it says that
/// it has too much to do, later. Nobody else is ever asked, whatever it says.
final class MirroredServer {
  /// Why there is no mirror, in a line.
  struct Failure: Error, CustomStringConvertible {
    let description: String
    /// What was answered; nil where nothing was that makes sense.
    var status: Int?
  }

  /// How often something is asked for again, after an error that may pass.
  private static let retries = 3
  /// How often a server's wish to be left alone for a while is granted, for one request.
  private static let pauses = 10
  /// The longest of these whiles, in seconds.
  private static let longestPause = 120
  /// The longest time for one answer, in seconds.
  private static let longestAnswer = 600

  let base: WebAddress
  private let client: HTTPClient
  private let trustedCertificates: String?
  private let progress: Progress
  private var hasAnswered = false

  /// - Parameter trustedCertificates: a file of certificates to trust instead of the system's.
  init(_ base: WebAddress, trustedCertificates: String?, progress: Progress) throws(HTTPClient.Failure) {
    self.base = base
    self.trustedCertificates = trustedCertificates
    self.progress = progress
    client = try HTTPClient()
  }

  /// Asks for something, again where it makes sense.
  ///
  /// - Parameters:
  ///   - target: path and query.
  ///   - limit: the most bytes that are taken.
  /// - Returns: a 200, or a 304 where a condition was sent.
  /// - Throws: `Failure`.
  func ask(
    _ method: String = "GET", _ target: String, fields: [(name: String, value: String)] = [], limit: Int
  ) throws(Failure) -> HTTPClient.Response {
    var request = HTTPClient.Request(method, base.origin + target)
    request.fields = [("User-Agent", "understudy/\(Application.version)")] + fields
    request.trustedCertificates = trustedCertificates
    request.usesProxy = true
    request.seconds = Self.longestAnswer
    var (failures, pauses) = (0, 0)
    while true {
      switch attempt(request, limit: limit) {
      case .success(let response) where response.status == 200 || response.status == 304:
        hasAnswered = true
        return response
      case .success(let response):
        hasAnswered = true
        switch response.status {
        case 429, 503:
          pauses += 1
          let wait = response["Retry-After"].flatMap(Self.seconds) ?? 1 << min(pauses, 6)
          guard pauses <= Self.pauses, wait <= Self.longestPause else {
            throw failure(request, "it is busy, and wants to be left alone for \(wait) s", response.status)
          }
          pause(wait, "the server is busy")
        case 500, 502, 504:
          failures += 1
          guard failures <= Self.retries else {
            throw failure(request, "it answers with status \(response.status)", response.status)
          }
          pause(1 << (failures - 1), "status \(response.status)")
        case 300..<400:
          let place = response["Location"].map { " to \($0.printable.prefix(200))" } ?? ""
          throw failure(request, "it sends one on\(place), which is not followed", response.status)
        default: throw failure(request, "it answers with status \(response.status)", response.status)
        }
      case .failure(let reason) where reason.isTooLong:
        throw failure(request, "it sends more than \(limit) bytes")
      case .failure(let reason):
        failures += 1
        // Where nobody has answered yet the address is wrong.
        guard failures <= Self.retries, hasAnswered || !reason.isUnreachable else {
          throw failure(request, reason.description.printable)
        }
        pause(1 << (failures - 1), reason.description.printable)
      }
    }
  }

  private func attempt(
    _ request: HTTPClient.Request, limit: Int
  ) -> Result<HTTPClient.Response, HTTPClient.Failure> {
    do throws(HTTPClient.Failure) { return .success(try client.send(request, limit: limit)) } catch {
      return .failure(error)
    }
  }

  private func failure(_ request: HTTPClient.Request, _ reason: String, _ status: Int? = nil) -> Failure {
    Failure(description: "\(request.url): \(reason)", status: status)
  }

  private func pause(_ seconds: Int, _ reason: String) {
    progress.show("\(reason): waiting \(seconds) s")
    sleep(UInt32(seconds))
  }

  /// How long a Retry-After (RFC 9110, section 10.2.3) asks to wait: seconds, or a date.
  private static func seconds(_ retryAfter: String) -> Int? {
    if let seconds = Int(retryAfter) { return seconds >= 0 ? seconds : nil }
    // Sun, 06 Nov 1994 08:49:37 GMT
    let parts = retryAfter.split { $0 == " " || $0 == ":" }
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let numbers = [1, 3, 4, 5, 6].compactMap { parts.count == 8 ? Int32(parts[$0]) : nil }
    guard numbers.count == 5, numbers.allSatisfy({ (0...9999).contains($0) }),
      let month = months.firstIndex(of: String(parts[2]))
    else { return nil }
    var date = tm()
    (date.tm_mday, date.tm_mon, date.tm_year) = (numbers[0], Int32(month), numbers[1] - 1900)
    (date.tm_hour, date.tm_min, date.tm_sec) = (numbers[2], numbers[3], numbers[4])
    return max(0, timegm(&date) - time(nil))
  }
}
