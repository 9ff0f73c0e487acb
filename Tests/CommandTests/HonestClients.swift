import Foundation
import TestSupport
import Threads

/// Two clients that do what the apps do, one request each two milliseconds, and look at the clock.
struct HonestClients {
  let port: UInt16
  /// The key of a directory.
  let key: String

  /// What they saw.
  struct Sight: Sendable {
    /// How long the answers took, in milliseconds.
    var latencies: [Double] = []
    /// Every answer that wasn't 200, and every request without one.
    var refusals: [String] = []

    /// The time within which 99 of 100 answers came, in milliseconds.
    var p99: Double {
      let sorted = latencies.sorted()
      return sorted.isEmpty ? .infinity : sorted[sorted.count * 99 / 100]
    }
  }

  private static let clients = 2
  private static let pause: UInt32 = 2000
  /// After so many requests a client comes anew, on another connection.
  private static let visit = 10

  /// Lets them work for some seconds.
  func work(seconds: Double) -> Sight {
    let seen = Condition(Sight())
    DispatchQueue.concurrentPerform(iterations: Self.clients) { _ in
      let sight = workAlone(seconds: seconds)
      seen.withLock {
        $0.latencies += sight.latencies
        $0.refusals += sight.refusals
      }
    }
    return seen.withLock { $0 }
  }

  private func workAlone(seconds: Double) -> Sight {
    let sighting = #"{"user":1,"species":1,"park":1,"comment":"by the lake","date":"2026-06-01"}"#
    let requests = [
      "GET /invasive/species HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /directory/people/\(key) HTTP/1.1\r\nHost: a\r\n\r\n",
      "POST /invasive/observations HTTP/1.1\r\nHost: a\r\nContent-Length: \(sighting.utf8.count)\r\n\r\n\(sighting)",
    ]
    var sight = Sight()
    var client: RawClient?
    var count = 0
    let end = ContinuousClock.now + .seconds(seconds)
    repeat {
      let start = ContinuousClock.now
      do {
        let visitor = try client ?? RawClient(port: port)
        try visitor.send(requests[count % requests.count])
        let answer = try visitor.response()
        if answer.status != 200 { sight.refusals.append("\(answer.status) \(answer.text)") }
        count += 1
        client = count % Self.visit == 0 ? nil : visitor
      } catch {
        sight.refusals.append("\(error)")
        client = nil
      }
      sight.latencies.append((ContinuousClock.now - start) / .milliseconds(1))
      usleep(Self.pause)
    } while ContinuousClock.now < end
    return sight
  }
}
