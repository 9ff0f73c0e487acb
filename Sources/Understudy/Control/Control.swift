import Files
import HTTP
import JSON
import SQLite
import Threads

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the commands of this program ask of whoever has the data folder: HTTP on a Unix socket in the folder, which
/// only the folder's owner can connect to. Nothing of it is reached by a port.
final class Control: Sendable {
  /// What its routes work with.
  struct Services: Sendable {
    let folder: DataFolder
    let database: Database
    let log: Log
    let storage: Storage
    let catalogue: ServedCatalogue
    let lists: ResponseCache
    let metrics: Metrics
    let backups: Backups
    /// Of those that are made by themselves; nil where none are.
    let backupHealth: BackupHealth?
    /// Where what takes long is done.
    let jobs = Jobs()
  }

  /// The socket can't be made, or not be used.
  enum SocketFailure: Error {
    /// There is none.
    case missing
    /// Something else has its name.
    case isNone(EntryKind)
    /// The system refuses it.
    case refused(String)

    /// What is so, and what to do, of the socket in a folder.
    func description(in folder: String) -> String {
      let path = folder + "/" + Control.socketName
      return switch self {
      case .missing: "there is no \(path), by which commands ask a server: restart the server, which makes it"
      case .isNone(let kind):
        "\(path), by which commands ask a server, is \(kind.rawValue) and no socket: move it away, and restart a server that runs"
      case .refused(let reason):
        "can't make the socket \(Control.socketName) in \(folder) (\(reason)): the data folder has to be on a file system that has sockets"
      }
    }
  }

  /// The socket's name in the data folder.
  static let socketName = "control.sock"

  let server: Server
  private let services: Services
  private var socket: String { services.folder.path + "/" + Self.socketName }

  /// - Parameter logs: whether its requests are logged; otherwise only what of the answers their client isn't told.
  /// - Throws: `SocketFailure` where the socket can't be made.
  init(_ services: Services, logs: Bool) throws {
    self.services = services
    var configuration = Server.Configuration()
    configuration.threads = 1
    // Whole files and rosters come and go here, and nobody does who would abuse it.
    configuration.limits.body = 256 << 20
    configuration.limits.bytesInFlight = 1 << 30
    configuration.limits.connections = 64
    // The log tells them from the requests of the ports by their numbers.
    configuration.lastRequest = 0xC << 48
    server = try Server(
      try Self.listen(in: services.folder.path), configuration, router: Self.router(services),
      middleware: [RequestIDs(), logs ? AccessLog(services.log) : FailureLog(log: services.log)],
      log: services.log)
  }

  private static func listen(in folder: String) throws -> ListeningSocket {
    // One that a server has left that was killed is replaced, and nothing else is.
    if let kind = try? EntryKind(of: folder + "/" + socketName), kind != .socket {
      throw SocketFailure.isNone(kind)
    }
    do {
      return try ListeningSocket.listen(at: UnixSocketPath(socketName, in: folder))
    } catch ListenError.failed(let reason) {
      throw SocketFailure.refused(reason)
    }
  }

  /// All that can be asked for. A resource's file adds its own.
  private static func router(_ services: Services) -> Router {
    var router = Router()
    router.get("/") { _ in .now(about) }
    services.metrics.addRoutes(to: &router, token: nil)
    Finding.addRoutes(to: &router, backups: services.backupHealth)
    UserAccounts(services: services).addRoutes(to: &router)
    CatalogueImport(services: services).addRoutes(to: &router)
    Export(storage: services.storage).addRoutes(to: &router)
    BackupRoute(services: services).addRoutes(to: &router)
    return router
  }

  /// Who answers.
  private static var about: Response {
    let body = ByteBuffer(capacity: 64)
    body.append("{\"version\":" as StaticString)
    body.append(jsonString: Application.version)
    body.append(",\"process\":" as StaticString)
    body.append(Int64(getpid()))
    body.append(UInt8(ascii: "}"))
    return Response(type: "application/json", body: .buffer(body), caching: .noStore)
  }

  /// From now on requests are told to come again, and the socket's name is gone: whoever asks next waits for the
  /// folder.
  func beginDraining() {
    unlink(socket)
    server.beginDraining()
  }

  /// Ends it. Jobs that are still at work give up.
  func close() {
    unlink(socket)
    services.jobs.close()
    server.stop()
  }
}

/// What went wrong in ways that an answer only hints at, for the terminal of a command that asks itself.
private struct FailureLog: AnswerObserver {
  let log: Log

  func sent(_ answer: Answer, to request: Request) {
    guard answer.isDetailHidden, let detail = answer.detail else { return }
    log.write(.error, detail)
  }
}

extension Application {
  /// The control socket of a data folder that outlives the server. Where it can't be made, on a file system without
  /// sockets say, a server serves all the same, and says what doesn't work then.
  static func makeControl(_ services: Control.Services, _ options: Options) throws -> Control? {
    guard options.dataFolder != nil else { return nil }
    do {
      return try Control(services, logs: options.servesApps)
    } catch let failure as Control.SocketFailure {
      guard options.servesApps else { throw failure }
      services.log.write(
        .warning, "commands such as users and backup can't reach this server: no control socket",
        [("detail", .text(failure.description(in: services.folder.path)))])
      return nil
    }
  }

  /// The control socket's name in a data folder.
  public static var controlSocketName: String { Control.socketName }

  /// What is wrong with the control socket of a data folder that a server has, and what to do about it; nil where it
  /// is there.
  ///
  /// - Throws: `FileError` where that can't be seen, mostly by who isn't the folder's owner.
  public static func controlSocketDefect(in dataFolder: String) throws(FileError) -> String? {
    let failure: Control.SocketFailure
    do throws(FileError) {
      let kind = try EntryKind(of: dataFolder + "/" + Control.socketName)
      if kind == .socket { return nil }
      failure = .isNone(kind)
    } catch {
      guard error.number == ENOENT else { throw error }
      failure = .missing
    }
    return failure.description(in: dataFolder)
  }

  /// Whether there are data of this program in a folder, as far as this user can see.
  ///
  /// - Returns: false only where it is known that there are none.
  public static func mayHaveData(in dataFolder: String) -> Bool {
    if PendingRestore.isThere(in: dataFolder) || LostData(in: dataFolder) != nil { return true }
    guard let database = status(of: dataFolder + "/" + DataFolder.databaseName) else {
      return errno != ENOENT && errno != ENOTDIR
    }
    return database.st_size > 0
  }

  /// How the control socket of a data folder is reached, whoever has it.
  ///
  /// - Throws: `ListenError.failed`.
  public static func controlSocket(in dataFolder: String) throws(ListenError) -> UnixSocketPath {
    try UnixSocketPath(Control.socketName, in: dataFolder)
  }
}
