import JSON
import Threads

/// A line in the log for each answer, its secrets struck out: 5xx as errors, other 4xx as warnings
/// with their detail, everything else as information.
public struct AccessLog: Middleware {
  private let log: Log

  public init(_ log: Log) {
    self.log = log
  }

  /// Writes the answer's line.
  public func sent(_ answer: Answer, to request: Request) {
    let level: Log.Level =
      switch answer.status.code {
      case 500...: .error
      case 400...: .warning
      default: .info
      }
    guard log.writes(level) else { return }
    let message = ByteBuffer(capacity: 128)
    message.append(Redaction.method(of: request))
    message.append(UInt8(ascii: " "))
    Redaction.append(targetOf: request, to: message)
    log.write(level, message: message.bytes) { line in
      line.append("status", Int64(answer.status.code))
      if let detail = answer.detail { line.append("detail", detail) }
      line.append("bytes", Int64(answer.bytes))
      line.append("ms", milliseconds: MonotonicClock.now - request.start)
      line.append("client", request.clientName)
      line.append("route", request.route?.pattern ?? "-")
      line.append("id", request.id.description)
    }
  }
}
