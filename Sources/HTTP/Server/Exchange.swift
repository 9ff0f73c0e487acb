import CMicroHTTPD
import JSON
import Threads

/// A request and its answer, from the request line to the last byte sent: what libmicrohttpd's callbacks share. It
/// lives on the thread that serves its connection; only `awaited` is written by others. When it is over the thread's
/// next request has the same object, and finds it as the first did.
final class Exchange: @unchecked Sendable {
  // Safe to share: a completion only writes `awaited`, once, and resumes the connection, and
  // libmicrohttpd hands the connection back to its own thread.

  private enum Stage {
    case idle, header, body, suspended, answered
  }

  /// More of a refused body than this isn't waited for: the connection is closed.
  private static let discardLimit = 16 << 20

  // Unchecked for exclusive access as in `Request`, for the same reason.

  let request: Request
  let service: Service
  private let answers: AnswerCells
  @exclusivity(unchecked) private var stage = Stage.idle
  /// What answers; nil where the request is refused, or asks for its options. It is the route's, and lives as long as
  /// that.
  @exclusivity(unchecked) var handler: Unmanaged<MethodHandler>?
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

  /// - Parameter client: a connection of this thread, which `begin` takes another of.
  init(on thread: ServingThread, for client: ClientConnection) {
    service = thread.service
    answers = thread.answers
    request = Request(connection: client, trustedProxies: service.trustedProxies)
  }

  /// The request line is there.
  func begin(_ id: RequestID, target: UnsafeRawBufferPointer, on client: ClientConnection) {
    stage = .header
    request.begin(id, target: target, on: client, at: MonotonicClock.now)
    client.waitForRequest(from: request.start, seconds: service.limits.requestSeconds)
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
      request.client._withUnsafeGuaranteedRef { request.fields.checkFraming(isHTTP11: isHTTP11, on: $0) }
      admit()
      return refusesEarly ? answer(connection) : .YES
    case .body where !data.isEmpty:
      return take(data) ? .YES : .NO
    case .body:
      return answer(connection)
    case .suspended:
      guard let awaited else { return .YES }
      service.counts.goOn()
      do {
        return send(try awaited(), on: connection)
      } catch {
        return send(response(for: error), on: connection)
      }
    case .idle, .answered:
      return .YES
    }
  }

  /// The exchange is over, its answer sent or its connection lost.
  func end() {
    // Resumed, but the client had gone.
    if stage == .suspended { service.counts.goOn() }
    stage = .idle
    handler = nil
    refusal = nil
    (announced, received, targetHoldsNUL) = (0, 0, false)
    awaited = nil
    bytes.release(from: service)
    let patience = service.limits.idleSeconds + service.limits.requestSeconds
    request.client._withUnsafeGuaranteedRef { $0.waitForRequest(from: MonotonicClock.now, seconds: patience) }
    request.end()
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
      if received > service.limits.body {
        refusal = .bodyTooLarge(service.limits)
      } else if !bytes.reserve(data.count, of: service) {
        refusal = .unavailable("The server has as many bodies in memory as it takes: try again in a moment.")
      } else {
        if request.body.isEmpty { request.body.reserveCapacity(min(announced, 64 << 10)) }
        request.body.append(contentsOf: data)
      }
    }
    if refusal != nil {
      request.body = []
      bytes.release(from: service)
    }
    return received <= Self.discardLimit
  }

  // MARK: The answer

  private func answer(_ connection: OpaquePointer) -> MHD_Result {
    request.client._withUnsafeGuaranteedRef { $0.serveClient() }
    do {
      if let response = service.middleware.intercept(request) { return send(response, on: connection) }
      if let refusal { throw refusal }
      try requireRoomForAnswer(on: connection)
      guard let handler else { return send(optionsResponse, on: connection) }
      switch try handler._withUnsafeGuaranteedRef({ try $0.reply(to: request) }) {
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
    guard service.limits.hasRoom(for: request.target, andFields: memory) else {
      throw .headerTooLarge(service.limits)
    }
  }

  private func suspend(_ connection: OpaquePointer, then begin: (Completion) -> Void) {
    stage = .suspended
    service.counts.suspended.add(1, ordering: .sequentiallyConsistent)
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
    guard prepared.isShared || bytes.reserve(prepared.response.body.count, of: service) else {
      return send(response(for: Self.tooManyAnswers), on: connection)
    }
    stage = .answered
    guard let native = prepared.pointer(service.middleware) else { return .NO }
    report(.ok, bytes: prepared.response.body.count)
    return MHD_queue_response(connection, UInt32(Status.ok.code), native)
  }

  private static let tooManyAnswers = Problem.unavailable(
    "The server has as many answers in memory as it takes: try again in a moment.")

  private func send(_ response: Response, on connection: OpaquePointer) -> MHD_Result {
    stage = .answered
    var response = response
    validate(&response)
    if case .buffer(let buffer) = response.body, !bytes.reserve(buffer.count, of: service) {
      response = self.response(for: Self.tooManyAnswers)
    }
    if service.counts.isDraining.load(ordering: .relaxed) { response.closesConnection = true }
    service.middleware.amend(&response, to: request)
    guard let native = NativeResponse.make(response, fixedFields: service.middleware.fixedFields) else {
      return .NO
    }
    defer { MHD_destroy_response(native) }
    report(
      response.status, bytes: response.body.count, detail: response.detail,
      isDetailHidden: response.isDetailHidden)
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
  private func report(_ status: Status, bytes: Int, detail: String? = nil, isDetailHidden: Bool = false) {
    let now = MonotonicClock.now
    request.client._withUnsafeGuaranteedRef {
      if bytes > 0, request.method != .head { $0.joinHeaderAndBody() }
      $0.waitForReader(from: now, seconds: 60 + bytes / (16 << 10))
    }
    let answer = Answer(
      status: status, bytes: request.method == .head ? 0 : bytes, moment: now,
      duration: now - request.start, detail: detail, isDetailHidden: isDetailHidden)
    answers.add(
      row: request.routed?._withUnsafeGuaranteedRef { $0.number } ?? 0, status: answer.status,
      duration: answer.duration)
    service.middleware.sent(answer, to: request)
  }
}
