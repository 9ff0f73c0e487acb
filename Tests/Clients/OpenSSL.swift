import Foundation
import TestSupport
import Testing

/// What OpenSSL's command line says of certificates and of those who show them.
enum OpenSSL {
  private static let program = ClientProgram(name: "openssl")

  /// A certificate in words, as `openssl x509 -text` has them.
  static func text(of file: String) async throws -> String {
    try await program.succeed(["x509", "-in", file, "-noout", "-text"])
  }

  /// Verifies a certificate, behind which those lie that lead from it to the authority's, as strictly as RFC 5280
  /// asks for.
  static func verify(_ file: String, authority: String, name: String? = nil) async throws
    -> ClientProgram.Result
  {
    try await program.run(
      ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", authority, "-untrusted", file]
        + (name.map { ["-verify_hostname", $0] } ?? []) + [file])
  }

  /// The SHA-256 of a certificate in PEM.
  static func fingerprint(of pem: Data) async throws -> String {
    let line = try await program.succeed(["x509", "-noout", "-fingerprint", "-sha256"], input: pem)
    return line.split(separator: "=").last.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } ?? ""
  }

  /// The SHA-256 of the certificate that a server shows.
  static func fingerprint(servedAt port: UInt16) async throws -> String {
    let shown = try await connect(to: port, [])
    return try await fingerprint(of: Data(shown.output.utf8))
  }

  /// Makes a connection and ends it.
  static func connect(to port: UInt16, _ arguments: [String]) async throws -> ClientProgram.Result {
    try await program.run(["s_client", "-connect", "127.0.0.1:\(port)"] + arguments)
  }

  /// Signs a server's certificate with an authority's key, whatever the authority may sign.
  ///
  /// - Parameter signer: the file of the key and its certificate.
  /// - Returns: the files of the certificate, with the signer's behind it, and its key, in `folder`.
  static func sign(name: String, with signer: String, in folder: URL) async throws
    -> (
      certificate: String, key: String
    )
  {
    let base = folder.appending(path: name).path
    let (certificate, key, request, extensions) = (base + ".pem", base + ".key", base + ".csr", base + ".ext")
    try await program.succeed([
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
      request,
      "-subj", "/CN=\(name)",
    ])
    let lines = [
      "basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature",
      "extendedKeyUsage=serverAuth",
      "subjectAltName=DNS:\(name)", "subjectKeyIdentifier=hash", "authorityKeyIdentifier=keyid",
    ]
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: extensions))
    try await program.succeed([
      "x509", "-req", "-in", request, "-CA", signer, "-CAkey", signer, "-days", "30", "-sha256",
      "-extfile", extensions, "-out", certificate,
    ])
    let chain = try Data(contentsOf: URL(fileURLWithPath: certificate))
    let above = try await program.succeed(["x509", "-in", signer])
    try (chain + Data(above.utf8)).write(to: URL(fileURLWithPath: certificate))
    return (certificate, key)
  }
}
