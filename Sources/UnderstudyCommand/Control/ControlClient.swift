import Files
import HTTP
import HTTPClient
import Threads
import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Asks whoever has a data folder to do something: the server that runs on it, over its control socket, or where none
/// does the same program in this process, without ports.
///
/// While an object of a folder without a server lives, no server can have the folder: nobody is asked anything
/// meanwhile.
final class ControlClient {
  /// Why it couldn't be done, in a line that says what to do; several where several things were wrong.
  struct Failure: Error, CustomStringConvertible {
    let description: String
    /// What was answered; nil where nothing was.
    var status: Int?
  }

  private let http: HTTPClient
  private let place: Place
  private var peer: Peer

  /// The data folder.
  private struct Place {
    let folder: String
    /// How the socket in it is reached.
    let socket: UnixSocketPath
  }

  /// Who does it.
  private enum Peer {
    case server
    case ourselves(Application)
  }

  /// How long a server may take to begin or end, in seconds.
  private static let patience = 10.0

  /// - Parameter makesFolder: whether a folder that isn't there is made, with the catalogue in it.
  /// - Throws: `Failure`.
  static func open(dataFolder: String, makesFolder: Bool = false) throws(Failure) -> ControlClient {
    guard makesFolder || Application.mayHaveData(in: dataFolder) else {
      throw Failure(
        description: "there are no data of understudy in \(dataFolder): say with --data which folder is meant"
      )
    }
    return try ControlClient(dataFolder)
  }

  private init(_ folder: String) throws(Failure) {
    // A client that has gone is no reason to end.
    signal(SIGPIPE, SIG_IGN)
    do { http = try HTTPClient() } catch { throw Failure(description: "\(error)") }
    (place, peer) = try Self.findPeer(folder, http, until: Self.deadline)
  }

  deinit {
    if case .ourselves(let application) = peer { application.stop() }
  }

  private static var deadline: UInt64 { MonotonicClock.now + UInt64(patience * 1e9) }

  /// Sends a request and waits for its answer, however long that takes. Where the server ends or begins meanwhile it
  /// is asked again.
  ///
  /// - Parameter type: the body's media type.
  /// - Returns: an answer of success; it has done what was asked for.
  /// - Throws: `Failure` for any other.
  func send(
    _ method: String, _ path: String, body: [UInt8]? = nil, type: String = "application/json"
  ) throws(Failure) -> HTTPClient.Response {
    let deadline = Self.deadline
    while true {
      var request = HTTPClient.Request(method, "http://localhost" + path)
      request.unixSocket = place.socket.text
      request.body = body
      request.stallSeconds = 0
      if body != nil { request.fields = [("Content-Type", type)] }
      do {
        let response = try http.send(request, limit: .max)
        if (200..<300).contains(response.status) { return response }
        // Not done, and to be sent again.
        if response.status == 503, MonotonicClock.now < deadline {
          usleep(50_000)
        } else {
          throw Failure(
            description: response.problemDetail ?? "it was answered with status \(response.status)",
            status: response.status)
        }
      } catch let failure as HTTPClient.Failure {
        guard failure.isUnreachable else {
          throw Failure(
            description:
              "the server ended before it answered (\(failure)): see whether it was done before doing it again"
          )
        }
      } catch {
        throw error as? Failure ?? Failure(description: "\(error)")
      }
      if case .server = peer { (_, peer) = try Self.findPeer(place.folder, http, until: deadline) }
    }
  }

  // MARK: Who has the folder

  private static func findPeer(
    _ folder: String, _ http: HTTPClient, until deadline: UInt64
  ) throws(Failure) -> (Place, Peer) {
    while true {
      let application: Application?
      do {
        application = try Application(headless(folder))
      } catch  where error.isFolderInUse {
        application = nil
      } catch {
        throw Failure(description: error.description)
      }
      // By now there is a folder, whose own path may be too long.
      let place: Place
      do {
        place = Place(folder: folder, socket: try Application.controlSocket(in: folder))
      } catch {
        throw Failure(description: "can't reach the socket in \(folder) (\(error))")
      }
      if let application { return (place, .ourselves(application)) }
      if try isServed(place, http) { return (place, .server) }
      guard MonotonicClock.now < deadline else {
        throw Failure(
          description:
            "\(folder) is in use, but there is no server to ask at its control.sock: see what its log says of that, or stop it"
        )
      }
      usleep(50_000)
    }
  }

  private static func headless(_ folder: String) -> Application.Options {
    var options = Application.Options()
    options.servesApps = false
    options.dataFolder = folder
    options.logLevel = .error
    return options
  }

  /// Whether a server listens on the socket.
  private static func isServed(_ place: Place, _ http: HTTPClient) throws(Failure) -> Bool {
    // Asked for by the system's rules, not only by the mode: who is root may.
    guard access(place.socket.text, W_OK) == 0 || errno != EACCES else {
      throw notOurs(place.folder, place.socket.text)
    }
    var request = HTTPClient.Request("GET", "http://localhost/")
    request.unixSocket = place.socket.text
    return (try? http.send(request))?.status == 200
  }

  private static func notOurs(_ folder: String, _ socket: String) -> Failure {
    let name = status(of: socket).flatMap { userName($0.st_uid) } ?? "another user"
    return Failure(
      description:
        "the server that has \(folder) runs as \(name), and only that user may ask it: run this command as \(name)"
    )
  }
}
