/// How many bytes of bodies one exchange has in memory, which are part of its server's count of all.
struct BytesInFlight {
  private var count = 0

  /// Counts bytes that are to be in memory, where there is room for them: as many as are each connection's own,
  /// whatever all others have, and beyond that what is left of those for all.
  ///
  /// - Returns: false, and nothing is counted, where there is no room.
  mutating func reserve(_ more: Int, of service: Service) -> Bool {
    let shared = beyondOwn(of: service)
    count += more
    service.counts.bytesInFlight.add(more, ordering: .relaxed)
    let moreShared = beyondOwn(of: service) - shared
    guard moreShared > 0 else { return true }
    let total = service.counts.bytesShared.add(moreShared, ordering: .relaxed).newValue
    guard total > service.limits.sharedBytes else { return true }
    release(more, from: service)
    return false
  }

  /// Takes all of them out of the count.
  mutating func release(from service: Service) { release(count, from: service) }

  private mutating func release(_ fewer: Int, from service: Service) {
    guard fewer > 0 else { return }
    let shared = beyondOwn(of: service)
    count -= fewer
    service.counts.bytesInFlight.subtract(fewer, ordering: .relaxed)
    if shared > 0 {
      service.counts.bytesShared.subtract(shared - beyondOwn(of: service), ordering: .relaxed)
    }
  }

  /// Those of them that are beyond their connection's own.
  private func beyondOwn(of service: Service) -> Int { max(0, count - service.limits.ownBytes) }
}
