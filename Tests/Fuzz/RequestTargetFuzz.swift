import Foundation
import JSON
import Threads

@testable import HTTP

/// The request target: its segments and its query are what a plain reading of RFC 3986 gives, and
/// neither the log nor a problem shows a secret of it. In the input the byte 1 stands for a
/// directory's key and the byte 2 for a password with its name.
func fuzzRequestTarget(_ input: [UInt8]) throws {
  // libmicrohttpd hands targets on as C strings.
  let line = input.prefix { $0 != 0 }
  try requirePlainReading(of: Array(line))
  let secrets: [UInt8: String] = [1: key, 2: "password=\(password)"]
  try requireRedaction(of: line.flatMap { byte in secrets[byte].map { Array($0.utf8) } ?? [byte] })
}

private let key = "316148225427892374918273645546372819201"
private let password = "hunter-two"

private let table: RoutingTable = {
  var router = Router()
  for pattern in [
    "/", "/invasive/species", "/invasive/species/:id", "/invasive/images/:file", "/invasive/users",
    "/invasive/observations", "/directory/users", "/directory/people/:key", "/directory/people/:key/:id",
  ] {
    router.get(pattern) { _ in throw Problem.notFound("") }
  }
  return RoutingTable(router)
}()

/// The request of a connection that all come on, one after the other.
private nonisolated(unsafe) let reused = Request(connection: connection, trustedProxies: [])
private let connection = ClientConnection(descriptor: -1, address: nil)

extension RequestTarget {
  fileprivate func isSame(as other: borrowing RequestTarget) -> Bool {
    raw == other.raw && form == other.form && pathRange == other.pathRange && queryRange == other.queryRange
      && hasEscapes == other.hasEscapes && isPlain == other.isPlain && segmentCount == other.segmentCount
      && (0..<segmentCount).allSatisfy { segment($0) == other.segment($0) }
  }
}

// MARK: A plain reading

private func requirePlainReading(of raw: [UInt8]) throws {
  let target = RequestTarget(raw)
  raw.withUnsafeBytes { reused.begin(RequestID(number: 1), target: $0, on: connection, at: 0) }
  try require(reused.target.isSame(as: target), "what the memory of another target makes of it")
  reused.end()
  if case .origin = target.form {
  } else if case .absolute = target.form {
  } else {
    return try require(target.segmentCount == 0, "what has no path has no segments")
  }
  let parts = raw.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
  var path = parts[0]
  if path.first != UInt8(ascii: "/") {
    let authority = path.dropFirst(path.prefix(5).shown.lowercased() == "https" ? 8 : 7)
    path = authority.drop { $0 != UInt8(ascii: "/") }
  }
  var segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    .dropFirst().map { decode($0) }
  if segments.last == [] { segments.removeLast() }
  try require(
    (0..<target.segmentCount).map { Array(target.segment($0)) }
      == Array(segments.prefix(RequestTarget.depth)),
    "the segments of \(raw.shown)")
  let isPlain =
    segments.count <= RequestTarget.depth
    && segments.allSatisfy { !["", ".", ".."].contains($0.shown) && !$0.contains(0) }
  try require(target.isPlain == isPlain, "which paths are followed: \(raw.shown)")
  for plusIsSpace in [false, true] {
    let pairs = (parts.count > 1 ? parts[1] : []).split(separator: UInt8(ascii: "&")).map { pair in
      pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        .map { decode($0, plusIsSpace: plusIsSpace) }
    }
    let read = target.query(plusIsSpace: plusIsSpace).pairs
    try require(
      read.map(\.name) == pairs.map { $0[0] } && read.map(\.value) == pairs.map { $0.count > 1 ? $0[1] : [] },
      "the query of \(raw.shown)")
  }
  try require(decode(Array(raw.shown.percentEncoded.utf8)[...]) == Array(raw.shown.utf8), "escapes and back")
}

/// Percent-decoding without a thought of speed.
private func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
  var decoded: [UInt8] = []
  var rest = text
  while let byte = rest.popFirst() {
    let digits = rest.prefix(2)
    let isEscape =
      byte == UInt8(ascii: "%") && digits.count == 2
      && digits.allSatisfy { $0 < 0x80 && Character(UnicodeScalar($0)).isHexDigit }
    if isEscape, let value = UInt8(digits.shown, radix: 16) {
      decoded.append(value)
      rest = rest.dropFirst(2)
    } else {
      decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
    }
  }
  return decoded
}

// MARK: Secrets

private func requireRedaction(of raw: [UInt8]) throws {
  let request = Request(
    id: RequestID(number: 1), target: RequestTarget(raw),
    connection: connection, trustedProxies: [])
  request.routed = table.route(for: request.target)
  let (json, text) = (line(of: request, .json), line(of: request, .text))
  for written in [Redaction.target(of: request), Redaction.path(of: request), json.text, text.text] {
    for secret in [key, password] {
      let isHidden =
        !Array(written.utf8).holds(secret) && !decode(Array(written.utf8)[...]).holds(secret)
      try require(isHidden, "\(secret) is seen in \(written)")
    }
  }
  try requireOneLine(json: json, text: text)
}

/// The log's line, with the target as the access log writes it.
private func line(of request: Request, _ format: Log.Format) -> ByteBuffer {
  let text = ByteBuffer()
  var timestamp = Timestamp()
  let line = LogLine(.info, at: MonotonicClock.now, &timestamp, format: format, in: text)
  if Redaction.isPlain(targetOf: request) {
    line.append(plainMessage: Redaction.length(ofPlainTargetOf: request)) {
      Redaction.append(plainTargetOf: request, to: &$0)
    }
  } else {
    line.append(message: Redaction.target(of: request))
  }
  line.end()
  return text
}

/// A line of the log is one line, and where it is JSON, JSON.
private func requireOneLine(json: ByteBuffer, text line: ByteBuffer) throws {
  try require(
    (try? JSONSerialization.jsonObject(with: Data(json.bytes))) is [String: Any],
    "a log's line is JSON: \(json.text)")
  let text = String(validating: line.bytes, as: UTF8.self)
  try require(text != nil, "a log's line is UTF-8: \(line.text)")
  try require(
    text?.unicodeScalars.dropLast().contains { $0.properties.generalCategory == .control } == false,
    "a log's line holds no control character: \(line.text)")
}
