import Certificates
import Files
import HTTP
import SQLite

extension Application {
  /// Why it didn't start. Each says in a line what is wrong and what to do.
  public struct StartError: Error, CustomStringConvertible {
    /// The line.
    public let description: String
    /// Whether another process has the data folder.
    public let isFolderInUse: Bool

    init(_ error: any Error, description: String) {
      self.description = description
      isFolderInUse = if case DataFolder.Failure.inUse = error { true } else { false }
    }
  }

  static func explain(_ error: any Error, _ options: Options) -> String {
    let folder = options.dataFolder ?? temporaryFolder
    let database = "\(folder)/\(DataFolder.databaseName)"
    if let own = options.dataFolder,
      let line = explainOwnership(error, dataFolder: own, isServer: options.servesApps)
    {
      return line
    }
    return switch error {
    case let error as CertificateError:
      explain(
        certificate: error, dataFolder: options.tlsCertificate == nil ? folder : nil, names: options.names)
    case DataFolder.Failure.inUse(let path, let holder):
      "the data folder \(path) is in use by \(holder.other): \(holder.remedy), or choose another folder with --data"
    case DataFolder.Failure.databaseIsLinked(let path, let link):
      "\(path) \(link.description): \(link.remedy(for: path))"
    case let lost as LostData: "\(lost.description): \(lost.remedy)"
    case DataFolder.Failure.unusable(let path, let reason):
      "can't use the data folder \(path) (\(reason)): make it a folder that can be written to, or choose another one with --data"
    case Database.OpenError.notADatabase:
      "\(database) is not a SQLite database: move it away, or choose another folder with --data"
    case Database.OpenError.foreign:
      "\(database) is a database of another program: choose another folder with --data"
    case Database.OpenError.newer(let version, let known):
      "\(database) was written by a newer version of this program (schema \(version), this one knows \(known)): use that version, or choose another folder with --data"
    case Database.OpenError.unreachable(let reason):
      "can't open \(database) (\(reason)): make it readable and writable, or choose another folder with --data"
    case Database.OpenError.damaged(let reason),
      Database.OpenError.refused(.notADatabase(let reason)), SQLiteError.notADatabase(let reason):
      "\(database) is damaged (\(reason)): move it away together with understudy.sqlite-wal, if that is there, and put a copy in its place, or choose another folder with --data"
    case Database.OpenError.refused(let error), let error as SQLiteError:
      "can't use \(database) (\(error)): see whether its disk is full or fails, or choose another folder with --data"
    case let error as Control.SocketFailure: error.description(in: folder)
    case ListenError.portInUse(let port):
      "port \(port) is in use: stop what listens there, or choose another one with \(portOption(port, options)) (0 finds a free one)"
    case ListenError.notPermitted(let port):
      "port \(port) needs a right that this user doesn't have: \(rights(port, options))"
    case ListenError.unknownHost(let host):
      "\(host) is not an address or name of this machine: leave --host out to listen on all of them"
    case ListenError.failed(let reason):
      "can't listen (\(reason)): choose another port with --port or --https"
    default:
      "can't start (\(error))"
    }
  }
}
