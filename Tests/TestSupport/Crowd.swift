import Foundation
import Synchronization
import Threads

/// Many connections that misbehave, driven by one thread, so that they cost the server more than the machine.
///
/// Each does what its `Member` says: it connects, sends its opening as fast as the server takes it, and then
/// sends and reads a little at each beat, until it leaves or the crowd does.
public final class Crowd: Sendable {
  /// What one of them does.
  public struct Member: Sendable {
    /// What it reads of the answers.
    public enum Appetite: Sendable {
      /// All that comes, as it comes.
      case everything
      /// So many bytes at each beat.
      case bytes(Int)
      case nothing
    }

    /// What it does when its opening is sent.
    public enum End: Sendable {
      case stays
      /// Closes, which the server sees as an end of what is sent.
      case closes
      /// Resets, which takes away what was on its way too.
      case resets
    }

    let opening: [UInt8]
    let beat: [UInt8]
    let appetite: Appetite
    let end: End
    let returns: Bool

    /// - Parameters:
    ///   - opening: what is sent first.
    ///   - beat: what is sent at each beat after that.
    ///   - returns: whether another comes in the place of one that has ended.
    public init(
      _ opening: String, beat: String = "", reads appetite: Appetite = .everything, then end: End = .stays,
      returns: Bool = false
    ) {
      self.opening = Array(opening.utf8)
      self.beat = Array(beat.utf8)
      self.appetite = appetite
      self.end = end
      self.returns = returns
    }
  }

  /// What has become of them.
  public struct Tally: Sendable {
    /// Connections that were begun.
    public var begun = 0
    /// Openings that were sent to their end.
    public var opened = 0
    /// Connections on which the first bytes of an answer were read.
    public var answered = 0
    /// Connections that the server has closed.
    public var closed = 0
    /// Answers, by their status, to those who read everything.
    public var answers: [Int: Int] = [:]
  }

  private let tally = Condition(Tally())
  private let isOver = Atomic(false)
  private let end = DispatchSemaphore(value: 0)

  /// How long a beat is, in milliseconds. The members beat in turn, a part of them each `tick`.
  private static let beat = 100
  private static let tick = 10

  /// Lets the crowd loose on a port of the loopback interface.
  ///
  /// - Parameters:
  ///   - arrivals: how many may connect in ten milliseconds.
  ///   - receiveBuffer: the size of each socket's, in bytes; nil for the system's own.
  public init(_ members: [Member], port: UInt16, arrivals: Int = 100, receiveBuffer: Int32? = nil) {
    allowDescriptors()
    let thread = Thread { [self] in
      var loop = Loop(members, port: port, arrivals: arrivals, receiveBuffer: receiveBuffer)
      while !isOver.load(ordering: .relaxed) {
        loop.turn(milliseconds: Self.tick, turnsInABeat: Self.beat / Self.tick)
        tally.withLock { $0 = loop.tally }
      }
      loop.leave()
      end.signal()
    }
    thread.name = "crowd"
    thread.start()
  }

  /// What has become of them so far.
  public var soFar: Tally { tally.withLock { $0 } }

  /// Waits until what has become of them is so.
  ///
  /// - Returns: false when `seconds` have passed and it isn't.
  public func wait(seconds: Double = 20, until condition: (Tally) -> Bool) -> Bool {
    let start = ContinuousClock.now
    while !condition(soFar) {
      guard ContinuousClock.now - start < .seconds(seconds) else { return false }
      usleep(2000)
    }
    return true
  }

  /// Takes everybody away: one half closes, the other resets.
  public func leave() {
    guard !isOver.exchange(true, ordering: .relaxed) else { return }
    end.wait()
  }
}

/// The sockets of a crowd, and what is to be done with each.
private struct Loop {
  private struct Place {
    let member: Crowd.Member
    var isFree = true
    var sent = 0
    var hasRead = false
    /// The end of what was received, in which a status line may have begun.
    var tail: [UInt8] = []
  }

  private static let statusLine = Array("HTTP/1.1 ".utf8)

  private var places: [Place]
  private var sockets: [pollfd]
  /// Places that wait for a connection.
  private var vacant: [Int]
  /// Places that are reset at the next look: a reset at once would take the request with it.
  private var leaving: [Int] = []
  private var turns = 0
  private var buffer = [UInt8](repeating: 0, count: 256 << 10)
  private let port: UInt16
  private let arrivals: Int
  private let receiveBuffer: Int32?
  private(set) var tally = Crowd.Tally()

  init(_ members: [Crowd.Member], port: UInt16, arrivals: Int, receiveBuffer: Int32?) {
    places = members.map { Place(member: $0) }
    sockets = members.map { _ in pollfd(fd: -1, events: 0, revents: 0) }
    vacant = members.indices.reversed()
    self.port = port
    self.arrivals = arrivals
    self.receiveBuffer = receiveBuffer
  }

  /// Does what there is to do for some milliseconds.
  mutating func turn(milliseconds: Int, turnsInABeat: Int) {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    for _ in 0..<min(arrivals, vacant.count) { if let place = vacant.popLast() { enter(place) } }
    for place in stride(from: turns % turnsInABeat, to: places.count, by: turnsInABeat) { beat(place) }
    turns += 1
    while true {
      let rest = (end - ContinuousClock.now).components
      let wait = rest.seconds * 1000 + rest.attoseconds / 1_000_000_000_000_000
      let ready = poll(&sockets, nfds_t(sockets.count), Int32(max(0, wait)))
      for place in leaving where !places[place].isFree { close(place, resetting: true) }
      leaving = []
      guard ready > 0 else { return }
      for place in sockets.indices where sockets[place].revents != 0 { serve(place) }
      guard ContinuousClock.now < end else { return }
    }
  }

  mutating func leave() {
    for place in places.indices where !places[place].isFree { close(place, resetting: place % 2 == 0) }
  }

  private mutating func enter(_ place: Int) {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    guard descriptor >= 0 else { return vacant.append(place) }
    func set(_ option: Int32, _ value: Int32) {
      var value = value
      setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
    #if canImport(Darwin)
      set(SO_NOSIGPIPE, 1)
    #endif
    if let receiveBuffer { set(SO_RCVBUF, receiveBuffer) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    // Whether it succeeds is seen when it is written to.
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    tally.begun += 1
    places[place].isFree = false
    places[place].sent = 0
    places[place].hasRead = false
    places[place].tail = []
    sockets[place] = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  }

  private mutating func serve(_ place: Int) {
    let events = Int32(sockets[place].revents)
    sockets[place].revents = 0
    if events & (POLLERR | POLLHUP | POLLNVAL) != 0, events & POLLIN == 0 { return lose(place) }
    if events & POLLOUT != 0 { sendOpening(place) }
    if events & POLLIN != 0 { read(place, limit: buffer.count) }
  }

  private mutating func sendOpening(_ place: Int) {
    let (opening, sent) = (places[place].member.opening, places[place].sent)
    let count = opening.isEmpty ? 0 : opening.withUnsafeBytes { send(place, $0[sent...]) }
    guard count >= 0 else { return lose(place) }
    places[place].sent += count
    if case .everything = places[place].member.appetite { sockets[place].events |= Int16(POLLIN) }
    guard places[place].sent == opening.count else { return }
    tally.opened += 1
    sockets[place].events &= ~Int16(POLLOUT)
    switch places[place].member.end {
    case .stays: return
    case .closes: close(place, resetting: false)
    case .resets: leaving.append(place)
    }
  }

  private mutating func beat(_ place: Int) {
    let member = places[place].member
    guard !places[place].isFree, sockets[place].events & Int16(POLLOUT) == 0 else { return }
    // What isn't taken is left out: the next beat is another one.
    if !member.beat.isEmpty, member.beat.withUnsafeBytes({ send(place, $0[...]) }) < 0 { return lose(place) }
    if case .bytes(let limit) = member.appetite { read(place, limit: limit) }
  }

  /// Sends what is taken; -1 where the connection is lost.
  private func send(_ place: Int, _ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    let count = systemSend(sockets[place].fd, bytes)
    return count >= 0 ? count : errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOTCONN ? 0 : -1
  }

  private mutating func read(_ place: Int, limit: Int) {
    let count = recv(sockets[place].fd, &buffer, limit, 0)
    guard count > 0 else {
      if count == 0 || errno != EAGAIN && errno != EWOULDBLOCK { lose(place) }
      return
    }
    if !places[place].hasRead { tally.answered += 1 }
    places[place].hasRead = true
    guard case .everything = places[place].member.appetite else { return }
    let text = places[place].tail + buffer[..<count]
    let length = Self.statusLine.count + 3
    var next = 0
    while let start = Self.find(in: text, from: next), start + length <= text.count {
      next = start + length
      let status = text[next - 3..<next].reduce(0) { $0 * 10 + Int($1) - 48 }
      tally.answers[status, default: 0] += 1
    }
    places[place].tail = Array(text[max(next, text.count - length + 1)...])
  }

  private static func find(in text: [UInt8], from start: Int) -> Int? {
    text.withUnsafeBytes { text in
      guard let base = text.baseAddress else { return nil }
      var next = start
      while next + statusLine.count <= text.count,
        let found = memchr(base + next, Int32(statusLine[0]), text.count - statusLine.count + 1 - next)
      {
        if memcmp(found, statusLine, statusLine.count) == 0 { return UnsafeRawPointer(found) - base }
        next = UnsafeRawPointer(found) - base + 1
      }
      return nil
    }
  }

  private mutating func lose(_ place: Int) {
    tally.closed += 1
    close(place, resetting: false)
  }

  private mutating func close(_ place: Int, resetting: Bool) {
    if resetting {
      var atOnce = linger(l_onoff: 1, l_linger: 0)
      setsockopt(sockets[place].fd, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
    }
    systemClose(sockets[place].fd)
    sockets[place] = pollfd(fd: -1, events: 0, revents: 0)
    places[place].isFree = true
    if places[place].member.returns { vacant.append(place) }
  }
}

/// Raises this process's limit of open files as far as macOS takes it.
public func allowDescriptors() {
  var limit = rlimit()
  #if canImport(Darwin)
    let resource = RLIMIT_NOFILE
  #else
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #endif
  guard getrlimit(resource, &limit) == 0 else { return }
  limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 10_240))
  setrlimit(resource, &limit)
}

private func systemClose(_ descriptor: Int32) {
  close(descriptor)
}
