import TestSupport
import Testing

/// Where Debian puts Java's libraries.
private let libraries = ["okhttp", "okio", "gson"].map { "/usr/share/java/\($0).jar" }

@Suite("OkHttp and Gson")
struct JavaTests {
  /// What Java is started with, before the server's address. It runs once: no time for an optimizing compiler.
  static let arguments = [
    "-XX:TieredStopAtLevel=1", "-cp", libraries.joined(separator: ":"),
    ClientProgram.folder.appending(path: "Java/Apps.java").path,
  ]

  @Test(
    "make all the calls of both apps, as strict as Retrofit",
    .enabled(
      if: ClientProgram.isWanted("java", "/usr/share/java/okhttp.jar"),
      "Debian has OkHttp and Gson as packages; here they were not found"))
  func apps() async throws {
    try await withServer { server in
      try await ClientProgram(name: "java").succeed(Self.arguments + ["http://127.0.0.1:\(server.port)"])
    }
  }
}
