extension Table {
  /// "Keep-alive, pipelining, … HTTP/1.0, absolute-form targets work. 400 and close: …" What takes more
  /// than one request is a scenario.
  static let transport: [Case] = [
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: {host}"], gives: 200, then: .kept),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "hOST:{host}"], gives: 200, then: .kept),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host:  \t{host} \t "], gives: 200, then: .kept),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: {host}", "Connection: close"], gives: 200),
    // HTTP/1.0: no Host, no keep-alive unless asked for.
    Case(raw: ["GET /invasive/parks/1 HTTP/1.0"], gives: 200),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.0", "Host: {host}"], gives: 200),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.0", "Connection: keep-alive"], gives: 200, then: .kept),
    Case(raw: ["GET /invasive/species/1 HTTP/1.0"], gives: 200, .contains("http://127.0.0.1:{port}/")),
    Case(raw: ["POST /directory/people/{scratch} HTTP/1.0", "Content-Length: 2"], "{}", gives: 200, .id),
    // Absolute-form.
    Case(raw: ["GET http://{host}/invasive/parks/1 HTTP/1.1", "Host: {host}"], gives: 200, then: .kept),
    Case(raw: ["GET HTTP://{host}/invasive/parks/1?x HTTP/1.1", "Host: {host}"], gives: 200, then: .kept),
    Case(raw: ["GET http://{host}//invasive/parks HTTP/1.1", "Host: {host}"], gives: 404, then: .kept),
    Case(raw: ["GET http://{host}/invasive/parks/1 HTTP/1.1"], gives: 400),
    Case(raw: ["GET http://a%20b/invasive/parks/1 HTTP/1.1", "Host: {host}"], gives: 400),
    Case(raw: ["GET invasive/parks/1 HTTP/1.1", "Host: {host}"], gives: 400),
    Case(raw: ["GET /invasive/parks/1\0/../x HTTP/1.1", "Host: {host}"], gives: 400, mentions: "NUL"),
    Case(raw: ["GET /\0/directory/people/{key} HTTP/1.1", "Host: {host}"], gives: 400, mentions: "NUL"),
    Case(
      raw: ["GET /invasive/observations?limit=1\0&x HTTP/1.1", "Host: {host}"], gives: 400, mentions: "NUL"),
    // "No Host in HTTP/1.1, a second Host, a Host that isn't one."
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1"], gives: 400, mentions: "Host"),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: .."], gives: 400, mentions: "Host"),
    Case(
      raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: {host}", "Host: {host}"], gives: 400, mentions: "Host"),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: {host}", "Host: b"], gives: 400, mentions: "Host"),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.0", "Host: a", "Host: b"], gives: 400, mentions: "Host"),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host:"], gives: 400, mentions: "Host"),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: a b"], gives: 400, mentions: "Host"),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: a/b"], gives: 400, mentions: "Host"),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: a,b"], gives: 400, mentions: "Host"),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: ada@a"], gives: 400, mentions: "Host"),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", #"Host: "><script>"#], gives: 400, mentions: "Host"),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: a:99999"], gives: 400, mentions: "Host"),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: a:b"], gives: 400, mentions: "Host"),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: [::1"], gives: 400, mentions: "Host"),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: ::1"], gives: 400, mentions: "Host"),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: [::1]:80"], gives: 200, then: .kept),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: Adas-MacBook.local:8080"], gives: 200, then: .kept),
    // "Differing or doubled Content-Length, Content-Length with Transfer-Encoding."
    Case(raw: post("Content-Length: 2", "Content-Length: 2"), "{}", gives: 400, mentions: "Content-Length"),
    Case(raw: post("Content-Length: 2", "Content-Length: 3"), "{} ", gives: 400, mentions: "Content-Length"),
    Case(raw: post("Content-Length: 2, 2"), "{}", gives: 400, isBare: true),
    Case(raw: post("Content-Length: two"), "{}", gives: 400, isBare: true),
    Case(raw: post("Content-Length: -2"), "{}", gives: 400, isBare: true),
    Case(raw: post("Content-Length: +2"), "{}", gives: 400, isBare: true),
    Case(raw: post("Content-Length: 2 2"), "{}", gives: 400, isBare: true),
    Case(
      raw: post("Content-Length: 2", "Transfer-Encoding: chunked"), "2\r\n{}\r\n0\r\n\r\n", gives: 400,
      mentions: "Transfer-Encoding"),
    Case(
      raw: post("Transfer-Encoding: chunked", "Content-Length: 12"), "2\r\n{}\r\n0\r\n\r\n", gives: 400,
      mentions: "Transfer-Encoding"),
    Case(
      raw: ["POST /directory/people/{scratch} HTTP/1.0", "Transfer-Encoding: chunked"],
      "2\r\n{}\r\n0\r\n\r\n",
      gives: 400, mentions: "HTTP/1.0"),
    // "A Transfer-Encoding other than chunked."
    Case(raw: post("Transfer-Encoding: chunked"), "2\r\n{}\r\n0\r\n\r\n", gives: 200, .id, then: .kept),
    Case(raw: post("transfer-encoding: Chunked"), "2\r\n{}\r\n0\r\n\r\n", gives: 200, .id, then: .kept),
    Case(raw: post("Transfer-Encoding: gzip"), "{}", gives: 400, mentions: "Transfer-Encoding"),
    Case(raw: post("Transfer-Encoding: gzip, chunked"), "0\r\n\r\n", gives: 400, mentions: "chunked"),
    Case(raw: post("Transfer-Encoding: chunked, chunked"), "0\r\n\r\n", gives: 400, mentions: "chunked"),
    Case(raw: post("Transfer-Encoding: chunked;a=b"), "0\r\n\r\n", gives: 400, mentions: "chunked"),
    Case(raw: post("Transfer-Encoding: identity"), "{}", gives: 400, mentions: "chunked"),
    Case(raw: post("Transfer-Encoding: xchunked"), "0\r\n\r\n", gives: 400, mentions: "chunked"),
    Case(
      raw: post("Transfer-Encoding: gzip", "Transfer-Encoding: chunked"), "0\r\n\r\n", gives: 400,
      mentions: "Transfer-Encoding"),
    // "White space before a header's colon, a folded header."
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: {host}", "X-A : b"], gives: 400, isBare: true),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: {host}", "X-A\t: b"], gives: 400, isBare: true),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host : {host}"], gives: 400, isBare: true),
    Case(raw: post("Content-Length : 2"), "{}", gives: 400, isBare: true),
    Case(raw: post("Transfer-Encoding : chunked"), "0\r\n\r\n", gives: 400, isBare: true),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: {host}", "X-A: b", " c"], gives: 400, isBare: true),
    Case(
      raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: {host}", "X-A: b", "\tc: d"], gives: 400, isBare: true),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host: {host}", " X-A: b"], gives: 400, isBare: true),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", "Host:", " {host}"], gives: 400, isBare: true),
    Case(raw: ["GET /invasive/parks/1 HTTP/1.1", " Host: {host}"], gives: 400, isBare: true),
    // "A Host that isn't one", in a request that would be refused for something else too.
    Case(raw: ["POST /nothing HTTP/1.1", "Host: a b", "Content-Length: 2"], "{}", gives: 400),
    Case(raw: ["GET * HTTP/1.1", "Host: {host}"], gives: 400),
    Case(raw: ["OPTIONS * HTTP/1.1"], gives: 400, mentions: "Host"),
  ]

  /// The lines of an upload whose framing is the case's own.
  private static func post(_ framing: String...) -> [String] {
    ["POST /directory/people/{scratch} HTTP/1.1", "Host: {host}"] + framing
  }
}
