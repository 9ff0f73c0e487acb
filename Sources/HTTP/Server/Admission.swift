extension Exchange {
  /// Decides by the header, when the body isn't there yet, who answers the request or why nobody does.
  func admit() {
    if let defect = request.fields.defect ?? targetDefect {
      refusal = .badRequest(defect)
      refusal?.closesConnection = true
    } else if !service.limits.hasRoom(for: request.target, andFields: request.fields.memory) {
      refusal = .headerTooLarge(service.limits)
    } else if service.counts.isDraining.load(ordering: .sequentiallyConsistent),
      service.routing.route(for: request.target)?.takeUnretainedValue().isServedToTheEnd != true
    {
      refusal = .shuttingDown
      refusal?.closesConnection = true
    } else {
      route()
      announced = request.fields.contentLength.map { Int($0.text) ?? .max } ?? 0
      if announced > service.limits.body { refusal = .bodyTooLarge(service.limits) }
    }
  }

  private var targetDefect: String? {
    if targetHoldsNUL { return "The request target holds a NUL, which no target can." }
    return switch request.target.form {
    case .origin: nil
    case .asterisk: request.method == .options ? nil : "The request target '*' is for OPTIONS alone."
    case .absolute(let authority):
      Authority.isValid(request.target.raw[authority])
        ? nil : "The request target's authority is not a host name or address with an optional port."
    case .invalid: "The request target has to begin with '/'."
    }
  }

  private func route() {
    guard request.target.form != .asterisk else { return }
    guard let routed = service.routing.route(for: request.target) else {
      // A browser shows a page nothing of what its preflight was refused: the request itself is told.
      guard !request.isPreflight else { return }
      refusal = .notFound(
        "There is nothing at '\(Redaction.path(of: request))': the page at '/' lists what there is.")
      return
    }
    request.routed = routed
    guard request.method != .options else { return }
    handler = routed._withUnsafeGuaranteedRef { $0.handler(for: request.method) }
    guard handler == nil else { return }
    let allow = routed.takeUnretainedValue().allow
    refusal = Problem(
      .methodNotAllowed,
      "'\(Redaction.path(of: request))' does not answer \(Redaction.method(of: request)), only \(allow).",
      fields: [Field("Allow", allow)])
  }
}

extension Server.Limits {
  /// Whether libmicrohttpd has the memory for a header and still for the answer's.
  ///
  /// - Parameter memory: what the header's fields take, in bytes.
  func hasRoom(for target: borrowing RequestTarget, andFields memory: Int) -> Bool {
    memory + target.raw.count <= headerMemory
  }
}

extension Problem {
  static func bodyTooLarge(_ limits: Server.Limits) -> Problem {
    Problem(.contentTooLarge, "The body is longer than \(limits.body) bytes, the most that is taken.")
  }

  static func headerTooLarge(_ limits: Server.Limits) -> Problem {
    var problem = Problem(
      .requestHeaderFieldsTooLarge,
      "The request line and the headers are longer than \(limits.headerMemory) bytes, the most that is taken."
    )
    problem.closesConnection = true
    return problem
  }
}
