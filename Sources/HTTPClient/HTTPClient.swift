import CCurl

/// An HTTP client: libcurl's easy interface (https://curl.se/libcurl/c/libcurl-easy.html). It keeps its connection
/// between requests.
///
/// For one thread at a time. Redirects are not followed, and HTTP errors are answers like any other.
public final class HTTPClient {
  /// What is asked for.
  public struct Request {
    /// The method.
    public var method: String
    /// An `http` or `https` URL.
    public var url: String
    /// A Unix socket to connect to, whatever host the URL names.
    public var unixSocket: String?
    /// Header fields.
    public var fields: [(name: String, value: String)] = []
    /// The body; nil for none.
    public var body: [UInt8]?
    /// How long connecting may take, in seconds.
    public var connectSeconds = 10
    /// How long nothing may come, in seconds.
    public var stallSeconds = 60
    /// How long all of it may take, in seconds; nil for as long as something comes.
    public var seconds: Int?
    /// Whether the proxies of the environment (`https_proxy`, `no_proxy`) count.
    public var usesProxy = false
    /// A file of certificates to trust instead of the system's, as PEM.
    public var trustedCertificates: String?

    /// A request without a body.
    public init(_ method: String = "GET", _ url: String) {
      self.method = method
      self.url = url
    }
  }

  /// What was answered.
  public struct Response: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields in the order in which they came.
    public var fields: [(name: String, value: String)]
    /// The body; empty where it was handed on piece by piece.
    public var body: [UInt8]

    /// The first field of that name, letters of either case; nil where there is none.
    public subscript(name: String) -> String? {
      fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }

  /// Why there is no answer.
  public struct Failure: Error, CustomStringConvertible {
    /// What libcurl says of it.
    public let description: String
    /// Nobody listens there, or there is no way.
    public var isUnreachable = false
    /// The answer is longer than was to be taken.
    public var isTooLong = false
  }

  private let handle: UnsafeMutableRawPointer
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// - Throws: `Failure` where libcurl doesn't start.
  public init() throws(Failure) {
    guard Self.isReady, let handle = curl_easy_init() else {
      throw Failure(description: "libcurl doesn't start")
    }
    self.handle = handle
  }

  deinit {
    curl_easy_cleanup(handle)
  }

  /// Sends a request and waits for the answer.
  ///
  /// - Parameter limit: how many bytes of a body are taken; of a longer one nothing is.
  /// - Throws: `Failure`.
  public func send(_ request: Request, limit: Int = 64 << 20) throws(Failure) -> Response {
    var body: [UInt8] = []
    var isTooLong = false
    do throws(Failure) {
      var response = try send(request) { piece in
        isTooLong = body.count + piece.count > limit
        if !isTooLong { body += piece }
        return !isTooLong
      }
      response.body = body
      return response
    } catch {
      guard isTooLong else { throw error }
      throw Failure(description: "the answer is longer than \(limit) bytes", isTooLong: true)
    }
  }

  /// Sends a request and hands on the answer's body as it comes.
  ///
  /// - Parameter take: takes a piece; false ends it all with a `Failure`.
  /// - Throws: `Failure`.
  public func send(
    _ request: Request, take: (UnsafeRawBufferPointer) -> Bool
  ) throws(Failure) -> Response {
    let result = withoutActuallyEscaping(take) { take in
      exchange(request, Reception(take: take))
    }
    return try result.get()
  }

  private func exchange(_ request: Request, _ reception: Reception) -> Result<Response, Failure> {
    let isOneLine = request.fields.allSatisfy { field in
      !(field.name + field.value).utf8.contains { $0 < 0x20 }
    }
    guard isOneLine else {
      return .failure(Failure(description: "a header field holds a control character"))
    }
    curl_easy_reset(handle)
    var fields: UnsafeMutablePointer<curl_slist>?
    defer { curl_slist_free_all(fields) }
    // Without its taking away a longer body would wait for leave to come.
    fields = curl_slist_append(nil, "Expect:")
    for field in request.fields { fields = append(field, to: fields) }
    if request.body != nil, !request.fields.contains(where: { $0.name.lowercased() == "content-type" }) {
      fields = append(("Content-Type", "application/json"), to: fields)
    }
    var message = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
    let code = message.withUnsafeMutableBufferPointer { message in
      (request.body ?? []).withUnsafeBytes { body in
        configure(request, body, fields, reception, message: message.baseAddress)
          ?? curl_easy_perform(handle)
      }
    }
    // What was lent to libcurl is gone from here on.
    curl_set_pointer(handle, CURLOPT_ERRORBUFFER, nil)
    guard code == CURLE_OK else {
      let told = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let isUnreachable = [
        CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY,
      ].contains(code)
      return .failure(
        Failure(
          description: told.isEmpty ? String(cString: curl_easy_strerror(code)) : told,
          isUnreachable: isUnreachable))
    }
    return .success(
      Response(status: curl_response_code(handle), fields: reception.fields, body: []))
  }

  private func append(
    _ field: (name: String, value: String), to list: UnsafeMutablePointer<curl_slist>?
  ) -> UnsafeMutablePointer<curl_slist>? {
    // An empty value is asked for with a semicolon: "Name:" would take away what libcurl sends by itself.
    curl_slist_append(list, field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)") ?? list
  }

  /// - Returns: the error of the first option that can't be set; nil where all are.
  private func configure(
    _ request: Request, _ body: UnsafeRawBufferPointer, _ fields: UnsafeMutablePointer<curl_slist>?,
    _ reception: Reception, message: UnsafeMutablePointer<CChar>?
  ) -> CURLcode? {
    let receptionPointer = Unmanaged.passUnretained(reception).toOpaque()
    var codes = [
      curl_set_pointer(handle, CURLOPT_ERRORBUFFER, message),
      curl_set_number(handle, CURLOPT_NOSIGNAL, 1),
      curl_allow_http_alone(handle),
      curl_set_text(handle, CURLOPT_URL, request.url),
      curl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method),
      curl_set_pointer(handle, CURLOPT_HTTPHEADER, fields),
      curl_set_number(handle, CURLOPT_CONNECTTIMEOUT, request.connectSeconds),
      curl_set_number(handle, CURLOPT_LOW_SPEED_LIMIT, 1),
      curl_set_number(handle, CURLOPT_LOW_SPEED_TIME, request.stallSeconds),
      curl_set_callback(handle, CURLOPT_WRITEFUNCTION, bodyArrived),
      curl_set_pointer(handle, CURLOPT_WRITEDATA, receptionPointer),
      curl_set_callback(handle, CURLOPT_HEADERFUNCTION, fieldArrived),
      curl_set_pointer(handle, CURLOPT_HEADERDATA, receptionPointer),
    ]
    if request.method == "HEAD" { codes.append(curl_set_number(handle, CURLOPT_NOBODY, 1)) }
    if let seconds = request.seconds { codes.append(curl_set_number(handle, CURLOPT_TIMEOUT, seconds)) }
    if let socket = request.unixSocket {
      codes.append(curl_set_text(handle, CURLOPT_UNIX_SOCKET_PATH, socket))
    }
    if !request.usesProxy { codes.append(curl_set_text(handle, CURLOPT_PROXY, "")) }
    if let file = request.trustedCertificates { codes.append(curl_set_text(handle, CURLOPT_CAINFO, file)) }
    if request.body != nil {
      codes.append(curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
      codes.append(
        body.isEmpty
          ? curl_set_text(handle, CURLOPT_POSTFIELDS, "")
          : curl_set_pointer(
            handle, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: body.baseAddress)))
    }
    return codes.first { $0 != CURLE_OK }
  }

  /// Where what is answered goes.
  fileprivate final class Reception {
    let take: (UnsafeRawBufferPointer) -> Bool
    var fields: [(name: String, value: String)] = []

    init(take: @escaping (UnsafeRawBufferPointer) -> Bool) { self.take = take }

    func read(line: UnsafeRawBufferPointer) {
      let text = String(decoding: line, as: UTF8.self)
      // The status line of each answer: of an interim one (1xx) the fields don't count.
      if text.hasPrefix("HTTP/") {
        fields = []
        return
      }
      guard let colon = text.firstIndex(of: ":") else { return }
      let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      let end = value.lastIndex { !$0.isWhitespace }.map { value.index(after: $0) } ?? value.startIndex
      fields.append((String(text[..<colon]), String(value[..<end])))
    }
  }
}

private func bodyArrived(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ reception: UnsafeMutableRawPointer?
) -> Int {
  guard let reception else { return 0 }
  let target = Unmanaged<HTTPClient.Reception>.fromOpaque(reception).takeUnretainedValue()
  // Any other number than what came ends the transfer.
  return target.take(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : -1
}

private func fieldArrived(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ reception: UnsafeMutableRawPointer?
) -> Int {
  guard let reception else { return 0 }
  Unmanaged<HTTPClient.Reception>.fromOpaque(reception).takeUnretainedValue().read(
    line: UnsafeRawBufferPointer(start: bytes, count: size * count))
  return size * count
}
