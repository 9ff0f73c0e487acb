import Testing
import Threads

@testable import Understudy

@Suite("How it goes with the backups of --backup-every")
struct BackupHealthTests {
  /// 2026-05-01T12:00:00Z
  private let made = 1_777_636_800

  @Test("it is well as long as the newest is no older than twice the period, and the last one didn't fail")
  func age() {
    let newest = Condition<Int?>(nil)
    let health = BackupHealth(period: 3600, folder: "/backups") { newest.withLock { $0 } }
    #expect(health.finding(now: made) == .ok("the first backup of --backup-every isn't there yet"))
    newest.withLock { $0 = made }
    let text = "the newest backup in /backups is of 2026-05-01 12:00 UTC"
    #expect(health.finding(now: made + 7200) == .ok(text))
    #expect(
      health.finding(now: made + 7201)
        == .problem(
          "\(text), older than twice what --backup-every says", "see what the server's log says of it")
    )
    health.failed("the disk is full")
    let failed = health.finding(now: made)
    #expect(failed.text.hasPrefix("the last backup of --backup-every failed at "))
    #expect(failed.text.hasSuffix(" (the disk is full)") && failed.remedy != nil)
    health.succeeded()
    #expect(health.finding(now: made) == .ok(text))
  }
}
