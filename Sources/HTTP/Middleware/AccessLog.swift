import JSON

/// A line in the log for each answer, its secrets struck out: 5xx as errors, other 4xx as warnings
/// with their detail, everything else as information, or for debugging where it is routine.
public final class AccessLog: AnswerObserver {
  private let log: Log
  /// The log's, and here as well: looked up there a reference would be counted for each line.
  private let output: LogOutput

  public init(_ log: Log) {
    self.log = log
    output = log.output
  }

  /// Writes the answer's line.
  public func sent(_ answer: Answer, to request: Request) {
    let level: Log.Level =
      switch answer.status.code {
      case 500...: .error
      case 400...: .warning
      default: request.withRoute { $0?.isRoutine == true } ? .debug : .info
      }
    guard log.writes(level) else { return }
    let isPlain = Redaction.isPlain(targetOf: request)
    let method = Redaction.method(of: request)
    let (status, bytes, duration) = (Int64(answer.status.code), Int64(answer.bytes), answer.duration)
    let detail = answer.detail
    output.write(level, at: answer.moment) { line in
      if isPlain {
        let length = method.utf8.count + 1 + Redaction.length(ofPlainTargetOf: request)
        line.append(plainMessage: length) { text in
          text.append(method)
          text.append(UInt8(ascii: " "))
          Redaction.append(plainTargetOf: request, to: &text)
        }
      } else {
        line.append(message: "\(method) \(Redaction.target(of: request))")
      }
      line.append("status", status)
      if let detail { line.append("detail", detail) }
      line.append("bytes", bytes)
      line.append("ms", milliseconds: duration)
      line.append("client", plain: request.clientName)
      if let pattern = request.withRoute({ $0?.patternBytes }) {
        line.append("route", plain: pattern)
      } else {
        line.append("route", plain: "-")
      }
      line.append("id", request.id)
    }
  }
}
