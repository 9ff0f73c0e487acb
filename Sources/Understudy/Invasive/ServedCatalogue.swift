import HTTP
import JSON
import Synchronization
import Threads

/// The catalogue as it is served. A change replaces all of it at once, so that no answer of the old one outlives it.
final class ServedCatalogue: Sendable {
  /// What a thread serves between two changes: the catalogue, and the answers that are made of it once. Each thread has
  /// its own, since what all of them count references of costs more than making the answers again.
  final class Edition {
    let catalogue: Catalogue
    let parkList: PreparedResponse
    private let origin: PublicOrigin
    /// How many changes came before.
    fileprivate let number: UInt64
    /// The list of species, by origin.
    @exclusivity(unchecked) private var speciesLists: [String: PreparedResponse] = [:]
    /// The one that was asked for last, which mostly is asked for again: comparing costs less than hashing.
    @exclusivity(unchecked) private var lastSpeciesList: PreparedResponse?
    @exclusivity(unchecked) private var lastOrigin = ""

    /// How many origins are kept, by each thread: a client can make up as many as it likes.
    private static let limit = 8

    fileprivate init(_ catalogue: Catalogue, number: UInt64, origin: PublicOrigin) {
      self.catalogue = catalogue
      self.number = number
      self.origin = origin
      let body = ByteBuffer(capacity: 4096)
      body.append(jsonArray: catalogue.parks) { $1.append(to: $0) }
      parkList = PreparedResponse(.json(body))
    }

    /// The list of species, with URLs that the request's client can follow.
    func speciesList(for request: Request) -> PreparedResponse {
      // Where the server was told its origin there is no other.
      if origin.fixed != nil, let lastSpeciesList { return lastSpeciesList }
      let origin = origin.of(request)
      if lastOrigin == origin, let lastSpeciesList { return lastSpeciesList }
      let answer = speciesLists[origin] ?? makeSpeciesList(origin)
      (lastOrigin, lastSpeciesList) = (origin, answer)
      return answer
    }

    private func makeSpeciesList(_ origin: String) -> PreparedResponse {
      let body = ByteBuffer(capacity: 8192)
      body.append(jsonArray: catalogue.species) { $1.append(to: $0, origin: origin) }
      let answer = PreparedResponse(.json(body))
      if speciesLists.count >= Self.limit { speciesLists = [:] }
      speciesLists[origin] = answer
      return answer
    }
  }

  /// The edition that a thread had last.
  private final class Shelf {
    @exclusivity(unchecked) var edition: Edition?
  }

  private let latest: Condition<Catalogue>
  /// How many changes there have been; it changes with `latest`.
  private let changes = Atomic<UInt64>(0)
  private let origin: PublicOrigin
  private let shelves: ThreadLocal<Shelf>

  /// - Throws: as `ThreadLocal`.
  init(_ catalogue: Catalogue, origin: PublicOrigin) throws(Thread.Exhausted) {
    latest = Condition(catalogue)
    self.origin = origin
    shelves = try ThreadLocal { Shelf() }
  }

  /// What is served now, for the calling thread.
  var current: Edition {
    let shelf = shelves.value
    if let edition = shelf.edition, edition.number == changes.load(ordering: .acquiring) { return edition }
    let (catalogue, number) = latest.withLock { ($0, changes.load(ordering: .relaxed)) }
    let edition = Edition(catalogue, number: number, origin: origin)
    shelf.edition = edition
    return edition
  }

  /// Serves another catalogue from now on: what the database holds after a change that is committed, and before
  /// that is answered.
  func replace(with catalogue: Catalogue) {
    latest.withLock { latest in
      latest = catalogue
      changes.add(1, ordering: .releasing)
    }
  }
}
