import Foundation
import TestSupport
import Testing

/// What honest clients notice of a crowd that misbehaves, and what is left of it afterwards.
///
/// Quiet and abuse are looked at in turn, a few rounds of each, and more where a neighbour on the machine spoils
/// them: a server that stalls does so in all.
@Suite("Abuse", .serialized, .timeLimit(.minutes(60)))
struct AbuseTests {
  /// How many rounds there are at least.
  private static let rounds = Int(number("UNDERSTUDY_ABUSE_ROUNDS") ?? 2)
  /// How many more there may be until one is undisturbed.
  private static let moreRounds = 6
  /// How long each watch is, in seconds.
  private static let watch = number("UNDERSTUDY_ABUSE_SECONDS") ?? 0.4
  /// How much slower honest answers may become.
  private static let slowdown = 3.0
  /// Within so many milliseconds an answer is quick, however much quicker it was before: two cores that the
  /// clients share with the server have noise of this size.
  private static let quick = 10.0
  /// How much more memory there may be after the last round than before it, in MiB.
  private static let memoryMargin = 8.0
  /// How long a crowd may take to assemble and to be forgotten, in seconds: longer than the idle timeout, by which
  /// libmicrohttpd at the latest closes a connection of whose being cut its epoll didn't tell it.
  private static let patience = 100.0

  private static func number(_ variable: String) -> Double? {
    ProcessInfo.processInfo.environment[variable].flatMap { Double($0) }
  }

  @Test("honest clients don't notice, and nothing is left of", arguments: Abuse.all)
  func abuse(_ abuse: Abuse) throws {
    let server = try AbusedServer(abuse.options)
    _ = server.honest.work(seconds: Self.watch)
    var figures = Figures(server)
    while figures.rounds < Self.rounds || !isWell(figures) && figures.rounds < Self.rounds + Self.moreRounds {
      try run(abuse, against: server, &figures)
    }
    print("abuse: \(abuse.name): \(figures)")
    #expect(isWell(figures), "\(figures)")
    #expect(server.honest.work(seconds: Self.watch).refusals == [])
    server.process.signal(SIGTERM)
    #expect(server.process.wait() == 0)
  }

  /// Watches honest clients without the crowd and with it, and waits until nothing is left of it.
  private func run(_ abuse: Abuse, against server: AbusedServer, _ figures: inout Figures) throws {
    let quiet = server.honest.work(seconds: Self.watch)
    #expect(quiet.refusals == [])
    let crowd = Crowd(
      abuse.crowd(key: server.honest.key), port: server.port, arrivals: abuse.arrivals,
      receiveBuffer: abuse.receiveBuffer)
    defer { crowd.leave() }
    try #require(crowd.wait(seconds: Self.patience) { abuse.isUnderWay($0, abuse.count) }, "\(crowd.soFar)")
    let abused = server.honest.work(seconds: Self.watch)
    #expect(abused.refusals.isEmpty, "\(abused.refusals.count), \(abused.refusals.first ?? "")")
    #expect(crowd.wait(seconds: Self.patience) { abuse.outcome($0, abuse.count) }, "\(crowd.soFar)")
    crowd.leave()
    figures.quiet.append(quiet.p99)
    figures.abused.append(abused.p99)
    #if os(Linux)
      try #require(
        server.wait(seconds: Self.patience) { server.descriptors <= figures.descriptors },
        "\(server.descriptors) descriptors, not \(figures.descriptors)")
      // Not required at once: `isWell` says what of it is too much.
      _ = server.wait(seconds: isSanitized ? 0 : 2) {
        server.memory <= figures.memoryBefore + Self.memoryMargin
      }
      figures.memory.append(server.memory)
    #endif
  }

  private func isWell(_ figures: Figures) -> Bool {
    if isSanitized { return true }
    let isQuick = figures.bestAbused <= max(Self.quick, Self.slowdown * figures.typicalQuiet)
    #if os(Linux)
      return isQuick && figures.memory[figures.memory.count - 1] <= figures.memoryBefore + Self.memoryMargin
    #else
      return isQuick
    #endif
  }

  /// What was measured, round by round: milliseconds and MiB.
  private struct Figures: CustomStringConvertible {
    var quiet: [Double] = []
    var abused: [Double] = []
    var memory: [Double] = []
    #if os(Linux)
      /// What there was before the first round.
      let descriptors: Int
      let memoryBefore: Double
    #endif

    init(_ server: AbusedServer) {
      #if os(Linux)
        descriptors = server.settledDescriptors() + AbusedServer.lateDescriptors
        memoryBefore = server.memory
      #endif
    }

    var rounds: Int { quiet.count }
    var typicalQuiet: Double { quiet.sorted()[quiet.count / 2] }
    var bestAbused: Double { abused.min() ?? .infinity }

    var description: String {
      func list(_ values: [Double]) -> String {
        values.map { String(format: "%.1f", $0) }.joined(separator: " ")
      }
      let times = "p99 quiet \(list(quiet)) ms, abused \(list(abused)) ms"
      #if os(Linux)
        return "\(times); memory before \(list([memoryBefore])) MiB, after \(list(memory)) MiB"
      #else
        return times
      #endif
    }
  }
}
