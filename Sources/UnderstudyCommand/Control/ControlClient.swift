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
  private let onlyReads: Bool

  /// The data folder.
  private struct Place {
    let folder: String
    /// How the socket in it is reached.
    let socket: UnixSocketPath
  }

  /// Who does it.
  private enum Peer {
    case server
    /// Where the folder itself takes nothing, in a copy of it.
    case ourselves(Application, in: FolderCopy?)
  }

  /// How long a server may take to begin or end, in seconds.
  private static let patience = 10.0

  /// - Parameters:
  ///   - makesFolder: whether a folder that isn't there is made, with the catalogue in it; nil for a command that has
  ///     nothing to do in a new one.
  ///   - onlyReads: whether nothing in it is to be changed, so that one on a full or read-only disk will do.
  /// - Throws: `Failure`.
  static func open(
    dataFolder: String, makesFolder: Bool? = nil, onlyReads: Bool = false
  ) throws(Failure) -> ControlClient {
    guard makesFolder == true || Application.mayHaveData(in: dataFolder) else {
      let other = makesFolder == nil ? "" : ", or with --create that a new one is to be made there"
      throw Failure(
        description:
          "there are no data of understudy in \(dataFolder): say with --data which folder is meant\(other)"
      )
    }
    return try ControlClient(dataFolder, onlyReads: onlyReads)
  }

  private init(_ folder: String, onlyReads: Bool) throws(Failure) {
    self.onlyReads = onlyReads
    // A client that has gone is no reason to end.
    signal(SIGPIPE, SIG_IGN)
    do { http = try HTTPClient() } catch { throw Failure(description: "\(error)") }
    (place, peer) = try Self.findPeer(folder, http, onlyReads: onlyReads, until: Self.deadline)
  }

  deinit {
    if case .ourselves(let application, _) = peer { application.stop() }
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
      if case .server = peer {
        (_, peer) = try Self.findPeer(place.folder, http, onlyReads: onlyReads, until: deadline)
      }
    }
  }

  /// Gets a long answer piece by piece, each of which but the last names the next one in its `Link` field.
  ///
  /// - Parameter take: gets a piece.
  /// - Throws: `Failure`.
  func eachPiece(
    from path: String, _ take: (HTTPClient.Response) throws(Failure) -> Void
  ) throws(Failure) {
    var next: String? = path
    while let path = next {
      let piece = try send("GET", path)
      try take(piece)
      next = piece["Link"].map { String($0.dropFirst().prefix { $0 != ">" }) }
    }
  }

  // MARK: Who has the folder

  private static func findPeer(
    _ folder: String, _ http: HTTPClient, onlyReads: Bool, until deadline: UInt64
  ) throws(Failure) -> (Place, Peer) {
    while true {
      let own = try takeFolder(folder, onlyReads: onlyReads)
      // By now there is a folder, whose own path may be too long.
      let taken = own?.copy?.path ?? folder
      let place: Place
      do {
        place = Place(folder: taken, socket: try Application.controlSocket(in: taken))
      } catch {
        throw Failure(description: "can't reach the socket in \(taken) (\(error))")
      }
      if let own { return (place, .ourselves(own.application, in: own.copy)) }
      if try isServed(place, http) { return (place, .server) }
      // A server that begins or ends has none yet, or no more: it is waited for, but never takes another file's place.
      let isTaken = (try? EntryKind(of: place.socket.text)).map { $0 != .socket } ?? false
      guard !isTaken, MonotonicClock.now < deadline else {
        let defect = (try? Application.controlSocketDefect(in: folder)) ?? nil
        throw Failure(
          description:
            "\(folder) is in use, and whoever has it doesn't answer: "
            + (defect ?? "wait for the end of a command, or see what the server's log says, or stop it"))
      }
      usleep(50_000)
    }
  }

  /// Works in the folder itself, or in a copy of one that can't be worked in and needs not be.
  ///
  /// - Returns: nil where another process has the folder.
  private static func takeFolder(
    _ folder: String, onlyReads: Bool
  ) throws(Failure) -> (application: Application, copy: FolderCopy?)? {
    do {
      return (try Application(headless(folder)), nil)
    } catch  where error.isFolderInUse {
      return nil
    } catch {
      do {
        guard onlyReads, let copy = try FolderCopy(of: folder) else {
          throw Failure(description: error.description)
        }
        return (try Application(headless(copy.path)), copy)
      } catch let failure as FolderCopy.Failure {
        throw Failure(description: failure.description)
      } catch {
        throw error as? Failure ?? Failure(description: "\(error)")
      }
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
