import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Why a server can't listen.
public enum ListenError: Error, Equatable, Sendable {
  /// The host is no address of this machine, or no name.
  case unknownHost(String)
  case portInUse(UInt16)
  /// Ports under 1024 need a right.
  case notPermitted(UInt16)
  case failed(String)
}

/// An address and port.
public struct SocketAddress: Sendable, Equatable {
  /// The address.
  public let address: IPAddress
  /// The port.
  public let port: UInt16

  init?(localEndOf descriptor: Int32) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isKnown = withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
    }
    guard isKnown else { return nil }
    let address = withUnsafePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { IPAddress($0) }
    }
    guard let address else { return nil }
    self.address = address
    // The port is at the same place in sockaddr_in and sockaddr_in6.
    port = withUnsafeBytes(of: &storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
  }

  /// What a socket has that is reached by a path.
  static let none = SocketAddress()

  private init() {
    address = .unspecified
    port = 0
  }

  /// As a URL has it, `192.168.1.20:8080`.
  public var authority: String { "\(address.urlHost):\(port)" }
}

/// A socket that listens for connections, until it is closed or let go of.
public final class ListeningSocket: Sendable {
  let descriptor: Int32
  /// What it is bound to; the unspecified address where it listens on all interfaces, and port 0 of it where it
  /// isn't reached by an address.
  public let address: SocketAddress
  private let isClosed = Atomic(false)

  /// Listens.
  ///
  /// - Parameters:
  ///   - host: an address or a name of this machine; nil for all interfaces, IPv6 and IPv4, or IPv4
  ///     alone where the machine has no IPv6.
  ///   - port: 0 for a free one.
  public static func listen(host: String?, port: UInt16) throws(ListenError) -> ListeningSocket {
    if let host {
      // IPv6 addresses may come in the brackets that a URL has them in.
      let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
      return try ListeningSocket(
        resolving: isBracketed ? String(host.dropFirst().dropLast()) : host, port: port)
    }
    do {
      return try ListeningSocket(resolving: "::", port: port)
    } catch {
      switch error {
      case .portInUse, .notPermitted: throw error
      case .unknownHost, .failed: return try ListeningSocket(resolving: "0.0.0.0", port: port)
      }
    }
  }

  deinit {
    close()
  }

  init(descriptor: Int32, address: SocketAddress) {
    self.descriptor = descriptor
    self.address = address
  }

  /// Leaves the descriptor to somebody who closes it.
  func giveAway() { isClosed.store(true, ordering: .relaxed) }

  /// Refuses further connections.
  func close() {
    if !isClosed.exchange(true, ordering: .relaxed) { _ = systemClose(descriptor) }
  }

  private init(resolving host: String, port: UInt16) throws(ListenError) {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE
    #if canImport(Darwin)
      hints.ai_socktype = SOCK_STREAM
    #else
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0, let first = list else {
      throw .unknownHost(host)
    }
    defer { freeaddrinfo(list) }
    let info = first.pointee
    let descriptor = socket(info.ai_family, info.ai_socktype, info.ai_protocol)
    guard descriptor >= 0 else { throw .failed(String(cString: strerror(errno))) }
    do throws(ListenError) {
      try Self.bind(descriptor, to: info, host: host, port: port)
    } catch {
      _ = systemClose(descriptor)
      throw error
    }
    guard let address = SocketAddress(localEndOf: descriptor) else {
      _ = systemClose(descriptor)
      throw .failed("the address that was bound isn't known")
    }
    self.descriptor = descriptor
    self.address = address
  }

  private static func bind(_ descriptor: Int32, to info: addrinfo, host: String, port: UInt16)
    throws(ListenError)
  {
    func set(_ level: Int32, _ option: Int32, _ value: Int32) {
      var value = value
      setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    // A restart doesn't wait for the last run's connections to be forgotten.
    set(SOL_SOCKET, SO_REUSEADDR, 1)
    if info.ai_family == AF_INET6 { set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, host == "::" ? 0 : 1) }
    #if canImport(Darwin)
      let isBound = Darwin.bind(descriptor, info.ai_addr, info.ai_addrlen) == 0
    #else
      let isBound = Glibc.bind(descriptor, info.ai_addr, info.ai_addrlen) == 0
    #endif
    #if canImport(Darwin)
      let listens = isBound && Darwin.listen(descriptor, 1024) == 0
    #else
      let listens = isBound && Glibc.listen(descriptor, 1024) == 0
    #endif
    guard listens else {
      switch errno {
      case EADDRINUSE: throw .portInUse(port)
      case EACCES: throw .notPermitted(port)
      case EADDRNOTAVAIL: throw .unknownHost(host)
      default: throw .failed(String(cString: strerror(errno)))
      }
    }
  }
}

/// The system's call, out of the reach of the method of the same name.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// The addresses of this machine's interfaces that are up.
public func machineAddresses() -> [IPAddress] {
  var list: UnsafeMutablePointer<ifaddrs>?
  guard getifaddrs(&list) == 0 else { return [] }
  defer { freeifaddrs(list) }
  var addresses: [IPAddress] = []
  var next = list
  while let interface = next?.pointee {
    next = interface.ifa_next
    guard interface.ifa_flags & UInt32(IFF_UP) != 0, let socket = interface.ifa_addr,
      let address = IPAddress(UnsafePointer(socket)), !addresses.contains(address)
    else { continue }
    addresses.append(address)
  }
  return addresses
}

/// The addresses that a name leads to from this machine, without one twice; none where it leads nowhere.
public func addresses(of name: String) -> [IPAddress] {
  var hints = addrinfo()
  #if canImport(Darwin)
    hints.ai_socktype = SOCK_STREAM
  #else
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
  #endif
  var list: UnsafeMutablePointer<addrinfo>?
  guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
  defer { freeaddrinfo(list) }
  var found: [IPAddress] = []
  var next = list
  while let info = next?.pointee {
    next = info.ai_next
    if let socket = info.ai_addr, let address = IPAddress(UnsafePointer(socket)), !found.contains(address) {
      found.append(address)
    }
  }
  return found
}
