import Testing
import Threads

@testable import HTTP

@Suite("The numbers of answers")
struct AnswerCellsTests {
  @Test("each status that there is has a place of its own, where its code is found again")
  func places() {
    let statuses: [Status] = [
      .ok, .noContent, .notModified, .badRequest, .unauthorized, .notFound, .methodNotAllowed, .conflict,
      .contentTooLarge, .unprocessableContent, .tooManyRequests, .requestHeaderFieldsTooLarge,
      .internalServerError, .serviceUnavailable, .insufficientStorage,
    ]
    #expect(Set(statuses.map(\.place)).count == statuses.count)
    for status in statuses { #expect(Status.counted[status.place] == status.code) }
    #expect(Status(code: 418, phrase: "").place == 0)
  }

  @Test("those of all threads are added up, by row, status and duration")
  func threads() throws {
    let service = Service(
      routing: RoutingTable(Router()), middleware: MiddlewareChain([]), limits: .init(), trustedProxies: [])
    let counts = try ThreadLocal { ServingThread(service, rows: 3) }
    let threads = try (0..<4).map { thread in
      try Threads.Thread {
        let cells = counts.value.answers
        for _ in 0..<1000 { cells.add(row: 1, status: .ok, duration: 200_000) }
        cells.add(row: 2, status: .notFound, duration: UInt64(thread) * 10_000_000_000)
      }
    }
    for thread in threads { thread.join() }
    let rows = AnswerCells.sums(of: counts.all.map(\.answers), rows: 3)
    #expect(rows.count == 3)
    #expect(rows[0].statuses.isEmpty && rows[0].durations.count == 0)
    #expect(rows[1].statuses.map(\.count) == [4000] && rows[1].statuses[0].status == 200)
    #expect(rows[1].durations.counts[1] == 4000 && rows[1].durations.sum == 800_000_000)
    #expect(rows[2].statuses.map(\.status) == [404])
    #expect(rows[2].durations.counts.first == 1 && rows[2].durations.counts.last == 2)
    #expect(rows[2].durations.sum == 60_000_000_000)
  }
}
