import HTTPClient
import JSON
import Understudy

extension Command {
  static let mirror = Command(
    name: "mirror",
    summary:
      "Fetches species, parks and pictures, with their ids, from a running original, as https://cmsc106.net, or another Understudy. Done again it fetches what has changed, and after an interruption what is missing.",
    options: [
      .data, .create,
      .value("ca", "FILE", "Certificates to trust instead of the system's, PEM."),
    ],
    operand: Operand("URL", "The server's address."),
    run: { arguments throws(UsageError) in
      var text = arguments.operands[0]
      while text.hasSuffix("/") { text.removeLast() }
      guard Application.isOrigin(text), let base = WebAddress(text) else {
        throw UsageError(
          "URL is '\(arguments.operands[0])': expected http:// or https:// with a host and perhaps a port, and nothing behind it"
        )
      }
      let progress = Progress()
      do {
        defer { progress.clear() }
        let server = try MirroredServer(base, trustedCertificates: arguments["ca"], progress: progress)
        let report = try Mirror(
          of: server, in: arguments.dataFolder, makesFolder: arguments.isOn("create"), progress: progress
        ).make()
        progress.clear()
        for line in report.complaints { complain(line.printable) }
        for line in report.lines { print(line.printable) }
        return success
      } catch {
        progress.clear()
        for line in "\(error)".split(separator: "\n") { complain(String(line).printable) }
        return failure
      }
    })
}

/// Making one server's catalogue that of another.
///
/// First everything is looked at, then the pictures are fetched beside those that are served, and only then do pictures
/// and catalogue change, so that at each moment the pictures are those of the catalogue (`PictureStore`).
private struct Mirror {
  let server: MirroredServer
  let dataFolder: String
  let makesFolder: Bool
  let progress: Progress

  /// The most bytes of a list.
  private static let listLimit = 8 << 20

  init(of server: MirroredServer, in dataFolder: String, makesFolder: Bool, progress: Progress) {
    self.server = server
    self.dataFolder = dataFolder
    self.makesFolder = makesFolder
    self.progress = progress
  }

  func make() throws -> (lines: [String], complaints: [String]) {
    // A folder that was mistyped is known before the other server is asked.
    _ = try ControlClient.open(dataFolder: dataFolder, makesFolder: makesFolder)
    progress.show("\(server.base.origin): the lists")
    let list = try elements(of: "species")
    let parks = try elements(of: "parks")
    var pictures = MirroredPictures(of: server, progress: progress)
    let species = list.map { value in MirroredSpecies(value, pictures: &pictures) }
    func body(_ names: [String: String] = [:]) -> [UInt8] {
      Self.catalogue(species.map { $0.json(pictures, names) }, parks.map(\.raw))
    }
    // Whatever is wrong with the lists, or in the way of the change, is known before the first picture comes.
    _ = try change(to: body(), query: "?dry-run")
    let store = try PictureStore(dataFolder: dataFolder)
    try pictures.fetch(into: store)
    progress.show("the catalogue")
    let summary = try change(to: body(), query: "?dry-run")
    let interim = try store.stage(pictures.urls)
    if !interim.isEmpty {
      do {
        _ = try change(to: body(interim), query: "")
      } catch let failure as ControlClient.Failure where failure.status != nil {
        // It was refused: the catalogue doesn't know these names.
        store.discardInterim()
        throw failure
      }
    }
    try store.publish(interim.keys)
    _ = try change(to: body(), query: "")
    try store.tidy(pictures.allURLs)
    return (
      summary.split(separator: "\n").map(String.init)
        + ["pictures: \(pictures.fetched) fetched, \(pictures.kept) as before"], pictures.missing
    )
  }

  /// The elements of one of the lists, as they were sent.
  private func elements(of name: String) throws -> [JSONValue] {
    let target = "/invasive/\(name)"
    let answer = try server.ask(
      "GET", target, fields: [("Accept", "application/json")], limit: Self.listLimit)
    let type = (answer["Content-Type"] ?? "").prefix { $0 != ";" }.lowercased()
    guard type.isEmpty || type.hasSuffix("json") else {
      throw MirroredServer.Failure(
        description:
          "\(server.base.origin)\(target): it sends \(type.prefix(60)), and no JSON: is it the right address?"
      )
    }
    do {
      return try JSONReader.elements(of: answer.body[...])
    } catch {
      throw MirroredServer.Failure(
        description: "\(server.base.origin)\(target): not the list that was expected; \(error.description)")
    }
  }

  private static func catalogue(_ species: [[UInt8]], _ parks: [ArraySlice<UInt8>]) -> [UInt8] {
    Array("{\"species\":[".utf8) + species.joined(separator: [UInt8(ascii: ",")])
      + Array("],\"parks\":[".utf8) + parks.joined(separator: [UInt8(ascii: ",")]) + Array("]}".utf8)
  }

  /// Has whoever has the data folder make the change. In between nobody is kept from the folder.
  private func change(to catalogue: [UInt8], query: String) throws -> String {
    let client = try ControlClient.open(dataFolder: dataFolder, makesFolder: makesFolder)
    return try client.send("POST", "/import/catalogue" + query, body: catalogue).object.text("summary")
  }
}

/// An element of the list of species, with the name that its picture has here.
private struct MirroredSpecies {
  private let value: JSONValue
  private var object: JSONObject?
  /// The number of its picture; nil where that isn't the server's.
  private var picture: Int?

  init(_ value: JSONValue, pictures: inout MirroredPictures) {
    self.value = value
    guard case .object(let raw) = value else { return }
    object = try? JSONReader.object(in: Array(raw))
    if let object, let id = object["idspecies"]?.wholeNumber {
      picture = pictures.add(object.text("image"), of: id)
    }
  }

  /// What isn't understood is passed on as it is: by the catalogue's rules it is refused.
  ///
  /// - Parameter names: what pictures are called instead, for now.
  func json(_ pictures: MirroredPictures, _ names: [String: String]) -> [UInt8] {
    guard let object, let picture else { return Array(value.raw) }
    let json = ByteBuffer(capacity: 256)
    json.append(UInt8(ascii: "{"))
    for member in object.members where member.name != "image" {
      Array(member.rawName + [UInt8(ascii: ":")] + member.value.raw + [UInt8(ascii: ",")]).withUnsafeBytes {
        json.append($0)
      }
    }
    json.append("\"image\":" as StaticString)
    let image = pictures.image(picture)
    json.append(jsonString: names[image] ?? image)
    json.append(UInt8(ascii: "}"))
    return Array(json.bytes)
  }
}
