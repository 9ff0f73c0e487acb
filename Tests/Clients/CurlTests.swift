import Foundation
import TestSupport
import Testing

/// What curl can be told to do, over the ways that a request can take.
@Suite("curl", .enabled(if: ClientProgram.isWanted("curl"), "curl was not found"))
struct CurlTests {
  /// Runs curl, which is to get an answer to each of its requests.
  private func curl(
    _ arguments: String..., input: Data = Data(), sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> String {
    // -q: no .curlrc; -g: brackets are an IPv6 address.
    try await ClientProgram(name: "curl").succeed(
      ["-q", "-g", "-sS", "--noproxy", "*", "--max-time", "50"] + arguments, input: input,
      sourceLocation: sourceLocation)
  }

  private func base(_ server: ServerProcess) -> String { "http://127.0.0.1:\(server.port)" }

  /// Signs a user up, whose id is 1.
  private func signUp(_ server: ServerProcess) async throws {
    let body = #"{"username":"ada","password":"pw"}"#
    let user = try await curl(base(server) + "/invasive/users", "-d", body)
    #expect(user == #"{"iduser":1,"username":"ada","password":"pw","realname":"","phone":""}"#)
  }

  private func sighting(_ comment: String) -> Data {
    Data(#"{"user":1,"species":4,"park":13,"comment":"\#(comment)","date":""}"#.utf8)
  }

  @Test("speaks HTTP/1.0")
  func http10() async throws {
    try await withServer { server in
      try await signUp(server)
      let url = base(server) + "/invasive/observations"
      let posted = try await curl("-0", "-i", url, "--data-binary", "@-", input: sighting("old"))
      #expect(posted.hasPrefix("HTTP/1.") && posted.contains(" 200 ") && posted.hasSuffix("\r\n\r\n1"))
      let list = try await curl("-0", "-i", url)
      let row = #"{"idobservation":1,"user":1,"species":4,"park":13,"comment":"old","date":""}"#
      #expect(list.hasSuffix("\r\n\r\n[\(row)]"))
      // Such a client doesn't know chunks.
      #expect(!list.lowercased().contains("transfer-encoding"))
      // Without a Host: curl can leave it out.
      #expect(try await curl("-0", "-H", "Host:", url + "/1") == row)
      let kept = try await curl(
        "-0", "-H", "Connection: keep-alive", "-w", "%{num_connects}", "-o", "/dev/null", url, "-o",
        "/dev/null", url)
      #expect(kept == "10")
    }
  }

  @Test("sends bodies in chunks")
  func chunked() async throws {
    try await withServer { server in
      try await signUp(server)
      let url = base(server) + "/invasive/observations"
      // Longer than a buffer of curl's, 64 kB, by white space that JSON allows.
      let long = sighting("long") + Data(repeating: 0x20, count: 200_000)
      for body in [sighting("short"), long] {
        let chunks = ["-T", "-", "-X", "POST"]
        let answer = try await curl(chunks[0], chunks[1], chunks[2], chunks[3], url, input: body)
        #expect(Int(answer) != nil, "\(answer)")
      }
      let asked = try await curl(
        "-H", "Transfer-Encoding: chunked", "--data-binary", "@-", url, input: sighting("asked"))
      #expect(asked == "3")
      let account = #"{"name":"ada","password":"pw"}"#
      let key = try await curl(base(server) + "/directory/users", "-d", account)
      let people = "\(base(server))/directory/people/\(key)"
      #expect(try await curl(people, "-d", "{}") == "1")
      // curl's own method for -T is PUT.
      let person = Data(#"{"name":"Grace","office":"B 12"}"#.utf8)
      #expect(try await curl("-T", "-", people + "/1", input: person) == "1")
      #expect(
        try await curl(people + "/1") == #"{"id":1,"name":"Grace","office":"B 12","user":1}"#)
      #expect(try await curl("-X", "DELETE", people + "/1") == "1")
      #expect(try await curl(people) == "[]")
    }
  }

  @Test("waits for 100 before it sends a body")
  func expectContinue() async throws {
    try await withServer { server in
      try await signUp(server)
      let url = base(server) + "/invasive/observations"
      for way in ["Content-Type: application/json", "Transfer-Encoding: chunked"] {
        let answer = try await curl(
          "-i", "-H", "Expect: 100-continue", "--expect100-timeout", "30", "-H", way, "--data-binary", "@-",
          "-w", "\n%{time_total}", url, input: sighting("waited"))
        #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
        // It didn't send the body because it had lost its patience.
        let seconds = try #require(answer.split(separator: "\n").last.flatMap { Double($0) })
        #expect(seconds < 25)
      }
      // curl expects 100 by itself before a body of more than 1 MB.
      let tooLong = try await curl(
        "-w", "%{http_code}", "--data-binary", "@-", url, input: Data(repeating: 0x20, count: 3 << 20))
      #expect(tooLong.hasSuffix("413") && tooLong.contains("application/problem+json") == false)
      #expect(tooLong.contains(#""status":413"#))
    }
  }

  @Test("gets everything over IPv6, pictures too")
  func ipv6() async throws {
    try await withServer { server in
      let base = "http://[::1]:\(server.port)"
      let garlicMustard = try await curl(base + "/invasive/species/1")
      let image = "\(base)/invasive/images/garlic-mustard.png"
      #expect(garlicMustard == #"{"idspecies":1,"name":"Garlic Mustard","image":"\#(image)"}"#)
      let type = try await curl(image, "-o", "/dev/null", "-w", "%{http_code} %{content_type}")
      #expect(type == "200 image/png")
      let body = #"{"username":"ada","password":"pw"}"#
      #expect(try await curl(base + "/invasive/users", "-d", body).hasPrefix(#"{"iduser":1,"#))
      let sighted = try await curl(
        "-i", base + "/invasive/observations", "--data-binary", "@-", input: sighting("six"))
      #expect(sighted.hasSuffix("\r\n\r\n1"))
      #expect(sighted.contains("/invasive/observations/1\r\n"))
    }
  }

  @Test(
    "gets whole answers over a slow link",
    arguments: ["/invasive/images/garlic-mustard.png", "/invasive/species"])
  func slowLink(path: String) async throws {
    try await withServer { server in
      let whole = try await bytes(of: base(server) + path)
      // A second and a half at most, whatever the length is; how much comes at once is curl's own choice.
      let rate = ["--limit-rate", "\(whole.count * 2 / 3)"]
      #expect(try await bytes(of: base(server) + path, rate) == whole)
    }
  }

  private func bytes(of url: String, _ arguments: [String] = []) async throws -> Data {
    let result = try await ClientProgram(name: "curl").run(
      ["-q", "-sS", "-f", "--noproxy", "*", url] + arguments)
    #expect(result.status == 0, "\(result.errors)")
    return result.bytes
  }

  @Test("sends a body over a slow link")
  func slowUpload() async throws {
    try await withServer { server in
      try await signUp(server)
      let url = base(server) + "/invasive/observations"
      // More than curl sends at once: 108 kB.
      let body = sighting(String(repeating: #"\ud83c\udf3f"#, count: 9000))
      let answer = try await curl(
        "--limit-rate", "60000", "-w", " %{time_total}", url, "--data-binary", "@-", input: body
      ).split(separator: " ")
      #expect(answer.first == "1")
      #expect(try #require(answer.last.flatMap { Double($0) }) > 1)
      let stored = try await curl(url + "/1")
      #expect(stored.contains(#""comment":"\#(String(repeating: "🌿", count: 9000))""#))
    }
  }

  @Test("makes many requests on one connection, an idle one too")
  func connections() async throws {
    try await withServer(["--idle-timeout", "30"]) { server in
      try await signUp(server)
      let paths = [
        "species", "parks", "species/1", "images/garlic-mustard.png", "species/999", "observations",
      ]
      let arguments = paths.flatMap { ["\(base(server))/invasive/\($0)", "-o", "/dev/null"] }
      func made(_ pace: String...) async throws -> String {
        try await ClientProgram(name: "curl").succeed(
          ["-q", "-sS", "--noproxy", "*", "-w", "%{http_code}/%{num_connects} "] + pace + arguments)
      }
      let expected = "200/1 200/0 200/0 200/0 404/0 200/0 "
      #expect(try await made() == expected)
      // At most two requests in a second.
      #expect(try await made("--rate", "120/m") == expected)
    }
  }

  @Test("goes on when the server has closed an idle connection")
  func closedConnection() async throws {
    try await withServer(["--idle-timeout", "1"]) { server in
      let url = base(server) + "/invasive/parks"
      let made = try await curl(
        "--rate", "20/m", "-w", "%{http_code}/%{num_connects} ", "-o", "/dev/null", url, "-o", "/dev/null",
        url)
      #expect(made == "200/1 200/1 ")
    }
  }

  @Test("is told by HEAD what GET would say")
  func head() async throws {
    try await withServer { server in
      for path in ["species", "species/1", "parks", "images/garlic-mustard.png", "species/999", "nowhere"] {
        let url = "\(base(server))/invasive/\(path)"
        // Date and the request's id are another each time, and with the id a problem's length.
        func fields(_ text: String) -> [String] {
          let isProblem = text.contains("problem+json")
          let others = ["Date:", "X-Request-Id:"] + (isProblem ? ["Content-Length:"] : [])
          return text.split(separator: "\r\n").map(String.init).filter { field in
            !others.contains(where: field.hasPrefix)
          }
        }
        let head = try await curl("-I", url)
        let get = try await curl("-D", "-", "-o", "/dev/null", url)
        #expect(fields(head) == fields(get))
        #expect(head.contains("Content-Length: "))
      }
    }
  }

  @Test("keeps ETags and is told 304")
  func etags() async throws {
    try await withServer { server in
      let file = FileManager.default.temporaryDirectory.appending(path: "etag-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: file) }
      for path in ["species", "parks/1", "images/garlic-mustard.png", "observations"] {
        let url = "\(base(server))/invasive/\(path)"
        let what = "%{http_code} %{size_download}"
        let first = try await curl("--etag-save", file, url, "-o", "/dev/null", "-w", what)
        #expect(first.hasPrefix("200 "))
        #expect(try await curl("--etag-compare", file, url, "-o", "/dev/null", "-w", what) == "304 0")
        // Anything, weak or one of several.
        let etag = try String(contentsOfFile: file, encoding: .utf8).filter { $0 != "\n" }
        for field in ["*", "W/\(etag)", "\"a\", \(etag)"] {
          let again = try await curl("-H", "If-None-Match: \(field)", url, "-o", "/dev/null", "-w", what)
          #expect(again == "304 0", "\(field)")
        }
        #expect(try await curl("-H", "If-None-Match: \"a\"", url, "-o", "/dev/null", "-w", what) == first)
      }
    }
  }
}
