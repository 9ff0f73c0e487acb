import Threads

/// What a server has done so far, and what is under way.
public struct ServerStatistics: Sendable {
  /// What was answered at a route.
  public struct Answers: Sendable {
    /// The route's pattern; nil for what no route answers.
    public let route: String?
    /// How many answers of each status there were; 0 is for those that aren't counted apart.
    public let statuses: [(status: UInt16, count: UInt64)]
    /// How long they took, from the request line to the answer, in nanoseconds.
    public let durations: Histogram
  }

  /// By route, the answers that no route gave first.
  public let answers: [Answers]
  /// What was refused before it was a request.
  public let unreadable: UInt64
  /// Requests that are being answered, from their request line to the last byte of the answer.
  public let active: Int
  /// Connections that are open.
  public let connections: Int
  /// All that there have been.
  public let allConnections: UInt64
  /// Bytes of bodies that are in memory.
  public let bytesInFlight: Int
  /// The limits for both.
  public let limits: Server.Limits
}

extension Server {
  /// What it has done so far, and what is under way.
  public var statistics: ServerStatistics {
    let (open, all) = connections.count
    let rows = AnswerCells.sums(of: threads.all.map(\.answers), rows: 1 + patterns.count)
    return ServerStatistics(
      answers: zip([nil] + patterns, rows).map {
        ServerStatistics.Answers(route: $0, statuses: $1.statuses, durations: $1.durations)
      },
      unreadable: counts.unreadable.load(ordering: .relaxed), active: activeRequests, connections: open,
      allConnections: all, bytesInFlight: bytesInFlight, limits: limits)
  }
}
