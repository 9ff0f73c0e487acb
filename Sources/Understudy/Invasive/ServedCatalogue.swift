import HTTP
import JSON
import SQLite
import Threads

/// The catalogue as it is served, together with the answers that are made of it once: a change replaces all of
/// it at once, so that no answer of the old one outlives it.
final class ServedCatalogue: Sendable {
  /// What is served between two changes.
  final class Edition: Sendable {
    let catalogue: Catalogue
    /// The list of species, by origin.
    let speciesLists: OriginCache
    let parkList: PreparedResponse

    init(_ catalogue: Catalogue) {
      self.catalogue = catalogue
      speciesLists = OriginCache { origin in
        let body = ByteBuffer(capacity: 8192)
        body.append(jsonArray: catalogue.species) { $1.append(to: $0, origin: origin) }
        return .json(body)
      }
      let body = ByteBuffer(capacity: 4096)
      body.append(jsonArray: catalogue.parks) { $1.append(to: $0) }
      parkList = PreparedResponse(.json(body))
    }
  }

  private let edition: Condition<Edition>

  init(_ catalogue: Catalogue) { edition = Condition(Edition(catalogue)) }

  /// What is served now.
  var current: Edition { edition.withLock { $0 } }

  /// Serves another catalogue from now on: what the database holds after a change that is committed, and before
  /// that is answered.
  func replace(with catalogue: Catalogue) {
    let new = Edition(catalogue)
    edition.withLock { $0 = new }
  }
}
