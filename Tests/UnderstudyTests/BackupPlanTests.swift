import Testing

@testable import Understudy

@Suite("When backups are made, and what they are called")
struct BackupPlanTests {
  @Test(
    "the first one is due a period after the newest that is there",
    arguments: [
      (Int?.none, 0), (1_000_000, 3600), (999_000, 2600), (996_400, 0), (996_399, 0), (0, 0),
      // By a clock that was ahead.
      (2_000_000, 3600),
    ])
  func delay(newest: Int?, expected: Int) {
    let plan = BackupSchedule.Plan(period: 3600, keep: 28)
    #expect(BackupSchedule.delay(plan, now: 1_000_000, newest: newest) == expected)
  }

  @Test("a name says its moment, and is read again")
  func names() throws {
    #expect(DatedName(time: 0).description == "understudy-1970-01-01T00-00-00Z.sqlite")
    #expect(
      DatedName(time: 1_780_317_296, number: 12).description == "understudy-2026-06-01T12-34-56Z-12.sqlite")
    for time in stride(from: 0, to: 4_000_000_000, by: 98_765_432) {
      for number in [1, 2, 10] {
        let name = try #require(DatedName(DatedName(time: time, number: number).description))
        #expect((name.time, name.number) == (time, number))
      }
    }
    #expect(DatedName(time: 5, number: 10) > DatedName(time: 5, number: 9))
    #expect(DatedName(time: 6) > DatedName(time: 5, number: 9))
  }

  @Test(
    "what only looks like one isn't",
    arguments: [
      "understudy-2026-06-01T12-34-56Z.sqlite.partial", "understudy-2026-13-01T12-34-56Z.sqlite",
      "understudy-2026-06-01T12-34-56.sqlite", "understudy-2026-06-01T12-34-56Z-1.sqlite",
      "understudy-2026-06-01T12-34-56Z-02.sqlite", "understudy-2026-06-01T12-34-56Z-x.sqlite",
      "Understudy-2026-06-01T12-34-56Z.sqlite", "understudy.sqlite", "understudy-.sqlite", "",
      "understudy-2026-6-1T12-34-56Z.sqlite", "understudy-9999999999-1-1T1-1-1Z.sqlite",
    ])
  func others(name: String) { #expect(DatedName(name) == nil) }
}
