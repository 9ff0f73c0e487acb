/// How many bytes of bodies one exchange has in memory, which are part of its server's count of all.
struct BytesInFlight {
  private var count = 0

  /// Counts bytes that are to be in memory, where there is room for them: as many as are each connection's own,
  /// whatever all others have, and beyond that what is left of those for all.
  ///
  /// - Returns: false, and nothing is counted, where there is no room.
  mutating func reserve(_ more: Int, of server: Server) -> Bool {
    let shared = beyondOwn(of: server)
    count += more
    server.counts.bytesInFlight.add(more, ordering: .relaxed)
    let moreShared = beyondOwn(of: server) - shared
    guard moreShared > 0 else { return true }
    let total = server.counts.bytesShared.add(moreShared, ordering: .relaxed).newValue
    guard total > server.limits.sharedBytes else { return true }
    release(more, from: server)
    return false
  }

  /// Takes all of them out of the count.
  mutating func release(from server: Server) { release(count, from: server) }

  private mutating func release(_ fewer: Int, from server: Server) {
    guard fewer > 0 else { return }
    let shared = beyondOwn(of: server)
    count -= fewer
    server.counts.bytesInFlight.subtract(fewer, ordering: .relaxed)
    if shared > 0 {
      server.counts.bytesShared.subtract(shared - beyondOwn(of: server), ordering: .relaxed)
    }
  }

  /// Those of them that are beyond their connection's own.
  private func beyondOwn(of server: Server) -> Int { max(0, count - server.limits.ownBytes) }
}
