import CMicroHTTPD
import JSON
import Threads

/// A request and its answer, from the request line to the last byte sent: what libmicrohttpd's
/// callbacks share. It lives on the thread that serves its connection; only `awaited` is written by
/// others.
final class Exchange: @unchecked Sendable {
  // Safe to share: a completion only writes `awaited`, once, and resumes the connection, and
  // libmicrohttpd hands the connection back to its own thread.

  private enum Stage {
    case header, body, suspended, answered
  }

  /// More of a refused body than this isn't waited for: the connection is closed.
  private static let discardLimit = 16 << 20

  // Unchecked for exclusive access as in `Request`, for the same reason.

  let request: Request
  let server: Server
  @exclusivity(unchecked) private var stage = Stage.header
  /// What answers; nil where the request is refused, or asks for its options.
  @exclusivity(unchecked) var handler: Handler?
  /// The answer that is already decided, whatever the body holds.
  @exclusivity(unchecked) var refusal: Problem?
  /// How long the body is to be, in bytes: 0 where it has none or comes in chunks.
  @exclusivity(unchecked) var announced = 0
  /// What has been seen of the target isn't all that came.
  @exclusivity(unchecked) var targetHoldsNUL = false
  @exclusivity(unchecked) private var received = 0
  /// Bytes of this exchange's bodies.
  @exclusivity(unchecked) private var bytes = BytesInFlight()
  /// What a suspended request is answered with: written before its connection is resumed, read after it,
  /// with libmicrohttpd's lock between the two.
  @exclusivity(unchecked) private var awaited: Completion.Answer?

  init(server: Server, target: [UInt8], connection: ClientConnection) {
    self.server = server
    request = Request(
      id: RequestID(number: server.counts.lastRequest.add(1, ordering: .relaxed).newValue),
      target: RequestTarget(target), connection: connection, trustedProxies: server.trustedProxies)
    server.counts.active.add(1, ordering: .relaxed)
    connection.waitForRequest(seconds: server.limits.requestSeconds)
  }

  /// libmicrohttpd's handler: called with the header, then for each piece of the body, then once
  /// more when all of it is there, and again when a suspended connection goes on.
  func proceed(
    _ connection: OpaquePointer, method: UnsafePointer<CChar>, isHTTP11: Bool, data: UnsafeRawBufferPointer
  ) -> MHD_Result {
    switch stage {
    case .header:
      stage = .body
      request.method = Method(cString: method)
      request.isHTTP11 = isHTTP11
      request.fields.read(from: connection)
      request.fields.checkFraming(isHTTP11: request.isHTTP11, on: request.connection)
      admit()
      return refusesEarly ? answer(connection) : .YES
    case .body where !data.isEmpty:
      return take(data) ? .YES : .NO
    case .body:
      return answer(connection)
    case .suspended:
      guard let awaited else { return .YES }
      server.decrement(server.counts.suspended)
      do {
        return send(try awaited(), on: connection)
      } catch {
        return send(response(for: error), on: connection)
      }
    case .answered:
      return .YES
    }
  }

  /// The exchange is over, its answer sent or its connection lost.
  func complete() {
    // Resumed, but the client had gone.
    if stage == .suspended { server.decrement(server.counts.suspended) }
    bytes.release(from: server)
    request.connection.waitForRequest(seconds: server.limits.idleSeconds + server.limits.requestSeconds)
    server.decrement(server.counts.active)
  }

  // MARK: The body

  /// Whether the answer goes out before the body has come in. That closes the connection, so it is
  /// kept for what can't go on anyway, for a client that waits to be told (`Expect: 100-continue`),
  /// and for bodies that aren't worth waiting for.
  private var refusesEarly: Bool {
    guard let refusal else { return false }
    return refusal.closesConnection || announced > Self.discardLimit
      || announced > 0 && request.fields.expect?.equals("100-continue") == true
  }

  /// Takes a piece of the body, or lets it go where it isn't wanted any more.
  ///
  /// - Returns: false where the connection isn't worth keeping.
  private func take(_ data: UnsafeRawBufferPointer) -> Bool {
    received += data.count
    if refusal == nil {
      if received > server.limits.body {
        refusal = .bodyTooLarge(server.limits)
      } else if !bytes.reserve(data.count, of: server) {
        refusal = .unavailable("The server has as many bodies in memory as it takes: try again in a moment.")
      } else {
        if request.body.isEmpty { request.body.reserveCapacity(min(announced, 64 << 10)) }
        request.body.append(contentsOf: data)
      }
    }
    if refusal != nil {
      request.body = []
      bytes.release(from: server)
    }
    return received <= Self.discardLimit
  }

  // MARK: The answer

  private func answer(_ connection: OpaquePointer) -> MHD_Result {
    request.connection.serveClient()
    do {
      for middleware in server.middleware {
        if let response = middleware.intercept(request) { return send(response, on: connection) }
      }
      if let refusal { throw refusal }
      try requireRoomForAnswer(on: connection)
      guard let handler else { return send(optionsResponse, on: connection) }
      switch try handler(request) {
      case .now(let response): return send(response, on: connection)
      case .prepared(let prepared): return send(prepared, on: connection)
      case .later(let begin):
        suspend(connection, then: begin)
        return .YES
      }
    } catch {
      return send(response(for: error), on: connection)
    }
  }

  /// The trailers of a chunked body have come since the header was measured.
  private func requireRoomForAnswer(on connection: OpaquePointer) throws(Problem) {
    guard request.fields.transferEncoding != nil else { return }
    let memory = request.fields.memory + HeaderFields.trailerMemory(of: connection)
    guard server.limits.hasRoom(for: request.target, andFields: memory) else {
      throw .headerTooLarge(server.limits)
    }
  }

  private func suspend(_ connection: OpaquePointer, then begin: (Completion) -> Void) {
    stage = .suspended
    server.counts.suspended.add(1, ordering: .sequentiallyConsistent)
    MHD_suspend_connection(connection)
    let resumed = Resumption(connection)
    begin(
      Completion { [self] answer in
        awaited = answer
        MHD_resume_connection(resumed.connection)
      })
  }

  private struct Resumption: @unchecked Sendable {
    // Safe to send: a suspended connection stays where it is until it is resumed, once.
    let connection: OpaquePointer
    init(_ connection: OpaquePointer) { self.connection = connection }
  }

  static let everyMethod = "GET, HEAD, POST, PUT, DELETE, OPTIONS"

  /// 204 with `Allow` (RFC 9110, section 9.3.7).
  private var optionsResponse: Response {
    var response = Response(.noContent, type: nil, body: .none, caching: .noStore)
    response.fields = [Field("Allow", request.route?.allow ?? Self.everyMethod)]
    return response
  }

  private func response(for error: any Error) -> Response {
    let problem =
      (error as? any ProblemRepresentable)?.problem
      ?? Problem(.internalServerError, "Something went wrong in the server; its log says more.")
    var response = problem.response(instance: request.id.description)
    // Other errors say more to the server's owner than they should to a client.
    if !(error is Problem) {
      response.detail = "\(error)"
      response.isDetailHidden = true
    }
    return response
  }

  private func send(_ prepared: PreparedResponse, on connection: OpaquePointer) -> MHD_Result {
    if let listed = request.fields.ifNoneMatch, prepared.etag.matches(listed) {
      return send(prepared.response, on: connection)
    }
    guard prepared.isShared || bytes.reserve(prepared.response.body.count, of: server) else {
      return send(response(for: Self.tooManyAnswers), on: connection)
    }
    stage = .answered
    guard let native = prepared.pointer(fixedFields: server.fixedFields) else { return .NO }
    report(prepared.response)
    return MHD_queue_response(connection, UInt32(Status.ok.code), native)
  }

  private static let tooManyAnswers = Problem.unavailable(
    "The server has as many answers in memory as it takes: try again in a moment.")

  private func send(_ response: Response, on connection: OpaquePointer) -> MHD_Result {
    stage = .answered
    var response = response
    validate(&response)
    if case .buffer(let buffer) = response.body, !bytes.reserve(buffer.count, of: server) {
      response = self.response(for: Self.tooManyAnswers)
    }
    if server.counts.isDraining.load(ordering: .relaxed) { response.closesConnection = true }
    for middleware in server.middleware { middleware.amend(&response, to: request) }
    guard let native = NativeResponse.make(response, fixedFields: server.fixedFields) else { return .NO }
    defer { MHD_destroy_response(native) }
    report(response)
    return MHD_queue_response(connection, UInt32(response.status.code), native)
  }

  /// Gives the answer of a GET its validator, and makes it 304 where the client has it already.
  private func validate(_ response: inout Response) {
    guard case .validated(let known) = response.caching, response.status == .ok else { return }
    let etag = known ?? response.body.etag
    response.caching = .validated(etag)
    guard let listed = request.fields.ifNoneMatch, etag.matches(listed) else { return }
    // Without the body's length too: OkHttp reads as many bytes as the header says, and 0 is the only
    // length that libmicrohttpd and it agree on here.
    response.status = .notModified
    response.type = nil
    response.body = .none
  }

  /// Tells everybody of the answer that goes out. From now on it is the client who has to move: a minute, and a second
  /// for each 16 KiB.
  private func report(_ response: Response) {
    let bytes = response.body.count
    let now = MonotonicClock.now
    if bytes > 0, request.method != .head { request.connection.joinHeaderAndBody() }
    request.connection.waitForReader(from: now, seconds: 60 + bytes / (16 << 10))
    let answer = Answer(
      status: response.status, bytes: request.method == .head ? 0 : bytes, duration: now - request.start,
      detail: response.detail, isDetailHidden: response.isDetailHidden)
    request.connection.cells?.add(
      row: request.route?.number ?? 0, status: answer.status, duration: answer.duration)
    for middleware in server.middleware { middleware.sent(answer, to: request) }
  }
}
