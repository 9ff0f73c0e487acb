import Threads

/// A line in the log for each answer, its secrets struck out: 5xx as errors, other 4xx as warnings
/// with their detail, everything else as information.
public struct AccessLog: Middleware {
  private let log: Log

  public init(_ log: Log) {
    self.log = log
  }

  public func sent(_ answer: Answer, to request: Request) {
    let level: Log.Level =
      switch answer.status.code {
      case 500...: .error
      case 400...: .warning
      default: .info
      }
    guard log.writes(level) else { return }
    let nanoseconds = MonotonicClock.now - request.start
    log.write(
      level, request.method.name + " " + Redaction.target(of: request),
      [
        ("status", .number(Int64(answer.status.code))),
        ("bytes", .number(Int64(answer.bytes))),
        ("ms", .milliseconds(nanoseconds)),
        ("client", .text(request.clientAddress?.description ?? "-")),
        ("route", .text(request.route?.pattern ?? "-")),
        ("id", .text(request.id.description)),
      ] + (answer.detail.map { [("detail", .text($0))] } ?? []))
  }
}
