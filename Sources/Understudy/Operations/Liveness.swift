import HTTP
import JSON

/// `/healthz`: whether the server answers at all. Nothing is looked at: a server whose disk is full still reads, and
/// one that is started anew for that finds its disk as full. One that ends by itself lives until then.
enum Liveness {
  static func addRoutes(to router: inout Router) {
    router.get("/healthz", isRoutine: true, isServedToTheEnd: true) { _ in .now(answer) }
  }

  /// 200 with the one word that a probe's user sees.
  static var answer: Response {
    Response(type: "text/plain", body: .buffer(ByteBuffer("ok\n")), caching: .noStore)
  }
}
