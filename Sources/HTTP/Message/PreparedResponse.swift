import CMicroHTTPD
import Synchronization

/// A 200 whose header and body are the same for every request of its resource, made once and sent from the
/// same memory or file any number of times, by any thread. It carries no request id: that differs for each request.
public final class PreparedResponse: @unchecked Sendable {
  // Safe to share: what isn't constant is set once, atomically, and libmicrohttpd counts the uses of its
  // object under a lock of its own.

  /// What it was made of.
  public let response: Response
  /// Its validator.
  public let etag: ETag
  private let native = Atomic<OpaquePointer?>(nil)

  /// Whether the body is one of a few that are in memory anyway; where it isn't, each request that is being
  /// answered with it counts its bytes as its own.
  let isShared: Bool

  /// - Parameters:
  ///   - response: an answer whose body is in memory, or a file.
  ///   - isShared: whether there are only so many of its kind, whatever clients ask for.
  public init(_ response: Response, isShared: Bool = true) {
    self.isShared = isShared
    var response = response
    if case .validated(let known?) = response.caching {
      etag = known
    } else {
      etag = response.body.etag
      response.caching = .validated(etag)
    }
    self.response = response
  }

  deinit {
    if let native = native.load(ordering: .acquiring) { MHD_destroy_response(native) }
  }

  /// libmicrohttpd's object for it, made at the first use.
  func pointer(_ middleware: MiddlewareChain) -> OpaquePointer? {
    native.load(ordering: .acquiring) ?? makePointer(fixedFields: middleware.fixedFields)
  }

  private func makePointer(fixedFields: [Field]) -> OpaquePointer? {
    guard let made = NativeResponse.make(response, fixedFields: fixedFields) else { return nil }
    let (isFirst, original) = native.compareExchange(
      expected: nil, desired: made, ordering: .acquiringAndReleasing)
    if isFirst { return made }
    // Another thread was faster.
    MHD_destroy_response(made)
    return original
  }
}

extension Response.Body {
  /// The validator of a body in memory or in a file.
  public var etag: ETag {
    switch self {
    case .none: ETag(of: UnsafeRawBufferPointer(start: nil, count: 0))
    case .buffer(let buffer): ETag(of: buffer.bytes)
    case .embedded(let bytes): ETag(of: bytes.bytes)
    case .file(let file): ETag(version: file.version)
    }
  }
}
