import HTTP
import HTTPClient
import Threads
import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Command {
  static let health = Command(
    name: "health",
    summary: "Asks the server of this machine whether it is ready: exit status 0 where it is, 1 where not.",
    options: [
      Option("host", "ADDRESS", "Where 'serve' was told to listen.", standard: "all interfaces"),
      Option("port", "NUMBER", "The port of 'serve'.", standard: "\(Application.Options().port)"),
      Option("wait", "SECONDS", "Asks again until it is ready, for so long at most.", standard: "0"),
    ],
    run: { arguments throws(UsageError) in
      let port = try arguments.number("port", in: 1...65_535).map { UInt16($0) } ?? Application.Options().port
      let seconds = try arguments.number("wait", in: 0...86_400) ?? 0
      let origin = "http://\(urlHost(arguments["host"])):\(port)"
      let end = MonotonicClock.now + UInt64(seconds) * 1_000_000_000
      var answer = readiness(of: origin)
      while case .failure = answer, MonotonicClock.now < end {
        usleep(100_000)
        answer = readiness(of: origin)
      }
      switch answer {
      case .success:
        print("\(origin) is ready")
        return success
      case .failure(let reason):
        complain("\(origin) is not ready: \(reason.text)")
        return failure
      }
    })

  /// The host to ask for what listens at an address: one that stands for all interfaces is none to connect to.
  private static func urlHost(_ address: String?) -> String {
    switch address {
    case nil, "0.0.0.0": "127.0.0.1"
    case "::": "[::1]"
    case let address?: IPAddress(address)?.urlHost ?? address
    }
  }

  private struct Unreadiness: Error {
    let text: String
  }

  /// Asks once. Less than the five seconds that the image's HEALTHCHECK has, so that there is a reason to read.
  private static func readiness(of origin: String) -> Result<Void, Unreadiness> {
    var request = HTTPClient.Request("GET", "\(origin)/readyz")
    request.seconds = 4
    do throws(HTTPClient.Failure) {
      let response = try HTTPClient().send(request, limit: 1 << 16)
      guard response.status != 200 else { return .success(()) }
      let detail = response.problemDetail.map { " (\($0))" } ?? ""
      return .failure(Unreadiness(text: "it answers \(response.status)\(detail)"))
    } catch {
      return .failure(Unreadiness(text: error.description))
    }
  }
}
