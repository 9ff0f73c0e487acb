import Files

/// A data folder whose database is gone or empty, though something says that there were data: a new database in its
/// place would hide that, and have the next backup replace a good one.
struct LostData: Error {
  /// The path of the database.
  let database: String
  /// Whether the file is there, without a byte in it.
  let isEmpty: Bool
  /// What is left of the data.
  private let trace: String

  /// - Returns: nil for a folder with a database, and for one that never had any.
  init?(in folder: String) {
    database = folder + "/" + DataFolder.databaseName
    let file = status(of: database)
    guard file == nil || file?.st_size == 0, let trace = Self.trace(in: folder, isEmpty: file != nil) else {
      return nil
    }
    isEmpty = file != nil
    self.trace = trace
  }

  private static func trace(in folder: String, isEmpty: Bool) -> String? {
    // A server makes the folder for pictures when it has made the database; somebody may have made it before, but
    // nobody makes an empty database.
    let files = [FolderIdentity.name] + (isEmpty ? [FileArchive.images] : [])
    if let file = files.first(where: { status(of: folder + "/" + $0) != nil }) { return file }
    let log = DataFolder.databaseName + "-wal"
    if (status(of: folder + "/" + log)?.st_size ?? 0) > 0 { return log }
    if let name = ((try? names(in: folder)) ?? []).first(where: { $0.hasPrefix(PendingRestore.aside) }) {
      return name
    }
    let backups = (try? names(in: folder + "/" + DataFolder.backupsName)) ?? []
    return backups.contains { DatedName($0) != nil } ? DataFolder.backupsName : nil
  }

  /// What is so, in words.
  var description: String {
    "\(database) is \(isEmpty ? "empty" : "gone"), though \(trace) beside it says that there were data"
  }

  /// What to do about it.
  var remedy: String {
    "put a backup in its place (understudy restore FILE --data \(folder(of: database).shellWord)), or begin anew in another folder"
  }
}
