import Embedded
import HTTP
import SQLite

/// The database as the resources use it: a connection to read with on each thread, and the writer.
struct Storage: Sendable {
  let readers: Readers
  let writer: Writer
  /// How many requests with an Idempotency-Key are remembered.
  let idempotencyKeys: Int

  /// What makes a database one of this program: "Unds", and schema.sql.
  static let schema = Database.Schema(
    applicationID: 0x556E_6473, definition: EmbeddedText.schema, migrations: [])

  /// Answers a request with what the writer has done, once that is on the disk.
  ///
  /// - Parameters:
  ///   - work: makes the change, on the writer's thread and perhaps more than once.
  ///   - committed: lets go of what was kept of the old state, when the change is on the disk and before it is
  ///     answered; called where there was no change, too.
  ///   - answer: makes the answer of what the work gave, on the thread that serves the request, since all other
  ///     changes wait for the writer's.
  func change<Result: Sendable>(
    _ work: @escaping @Sendable (Connection) throws -> Result,
    committed: @escaping @Sendable () -> Void = {},
    answer: @escaping @Sendable (Result) -> Response
  ) -> Reply {
    .later { completion in
      submit(work, completion) { result in
        committed()
        completion.complete { answer(try result.get()) }
      }
    }
  }

  /// As `change(_:committed:answer:)`, with work that makes the answer itself: for what isn't asked for often.
  func change(
    _ work: @escaping @Sendable (Connection) throws -> Response,
    committed: @escaping @Sendable () -> Void = {}
  ) -> Reply {
    change(work, committed: committed, answer: { $0 })
  }

  /// As `change(_:committed:)`, for a request that is suspended already.
  func change(
    _ completion: Completion, _ work: @escaping @Sendable (Connection) throws -> Response,
    committed: @escaping @Sendable () -> Void = {}
  ) {
    submit(work, completion) { result in
      committed()
      completion.complete(with: result)
    }
  }

  private func submit<Result>(
    _ work: @escaping @Sendable (Connection) throws -> Result, _ completion: Completion,
    done: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
  ) {
    if !writer.submit(work, completion: done) {
      completion.fail(
        Problem.unavailable("More changes wait to be written than the server takes: try again."))
    }
  }
}

extension SQLiteError: ProblemRepresentable {
  /// What a client is told: nothing of the database but what it has to do.
  public var problem: Problem {
    switch self {
    case .diskFull:
      Problem(
        .insufficientStorage, "The server's disk is full: nothing was changed. Its owner has to make room.")
    case .inputOutput, .busy, .notADatabase, .moved:
      .unavailable(
        "The server can't use its database now: nothing was changed. Its log says why.", retryAfter: 5)
    case .interrupted: .shuttingDown
    case .notUnique, .noSuchReference, .other:
      Problem(.internalServerError, "Something went wrong in the server; its log says more.")
    }
  }
}

/// The files that the program carries.
enum EmbeddedText {
  static let schema = text(embedded_schema())
  static let species = text(embedded_species())
  static let parks = text(embedded_parks())

  private static func text(_ file: EmbeddedFile) -> String {
    String(decoding: UnsafeBufferPointer(start: file.bytes, count: Int(file.count)), as: UTF8.self)
  }
}
