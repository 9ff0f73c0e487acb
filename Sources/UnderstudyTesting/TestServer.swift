import HTTP
import Understudy

/// A server inside the test's own process, on a free port of the loopback interface, with data of
/// its own that goes with it. Clients talk to it as to any other.
public final class TestServer: Sendable {
  let application: Application

  /// Starts a server.
  ///
  /// - Parameter configure: changes what isn't to be as it is by default.
  /// - Throws: `Application.StartError`.
  public init(_ configure: (inout Application.Options) -> Void = { _ in }) throws {
    var options = Application.Options()
    options.host = "127.0.0.1"
    options.port = 0
    options.dataFolder = nil
    options.logLevel = .error
    configure(&options)
    application = try Application(options)
  }

  /// The port that it listens on.
  public var port: UInt16 { application.port }

  /// The ports that it listens on for HTTPS, where it was configured to.
  public var httpsPorts: [UInt16] { application.httpsPorts }

  /// What the clients' addresses begin with, `http://127.0.0.1:49152`.
  public var url: String { application.urls[0] }

  /// Ends the server, after what is under way has been answered.
  public func stop() {
    application.stop()
  }
}
