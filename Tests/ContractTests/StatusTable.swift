extension Table {
  /// "Success is 200, never 201 or 204 … errors are free to be precise."
  static let status: [Case] = [
    Case("POST /invasive/users", #"{"username":"status-1","password":"p"}"#, gives: 200),
    Case("POST /invasive/observations", sighting(), gives: 200),
    Case("POST /directory/users", #"{"name":"status-2","password":"p"}"#, gives: 200),
    Case("POST /directory/people/{scratch}", #"{"name":"status"}"#, gives: 200),
    // 400: not JSON, a member missing, null, empty where it may not be or of the wrong type …
    Case("POST /invasive/users", "username=ada&password=x", gives: 400, mentions: "body"),
    Case("POST /invasive/users", #"{"username":"status-3"}"#, gives: 400, mentions: "password"),
    Case("POST /invasive/users", #"{"password":"p"}"#, gives: 400, mentions: "username"),
    Case("POST /invasive/users", #"{"username":null,"password":"p"}"#, gives: 400, mentions: "username"),
    Case("POST /invasive/users", #"{"username":"","password":"p"}"#, gives: 400, mentions: "username"),
    Case("POST /invasive/users", #"{"username":7,"password":"p"}"#, gives: 400, mentions: "username"),
    Case("POST /invasive/users", #"{"username":"status-4","password":""}"#, gives: 400, mentions: "password"),
    Case("POST /directory/users", #"{"name":"","password":"p"}"#, gives: 400, mentions: "name"),
    Case("POST /directory/users", #"{"name":"status-5","password":["p"]}"#, gives: 400, mentions: "password"),
    // … a query parameter missing or malformed
    Case("GET /invasive/users", gives: 400, mentions: "user"),
    Case("GET /invasive/users?user=ada", gives: 400, mentions: "password"),
    Case("GET /directory/users?password=p", gives: 400, mentions: "user"),
    Case("GET /invasive/observations?user=ada", gives: 400, mentions: "user"),
    Case("GET /invasive/observations?after=last", gives: 400, mentions: "after"),
    Case("GET /invasive/users?user=%C3%28&password=p", gives: 400, mentions: "user"),
    // 401: wrong name or password
    Case("GET /invasive/users?user=ada&password=wrong", gives: 401),
    Case("GET /invasive/users?user=nobody&password=lovelace", gives: 401),
    Case("GET /directory/users?user=grace&password=wrong", gives: 401),
    // 404: no such route, row or key, and any id in a path that isn't a whole number in range
    Case("GET /invasive", gives: 404),
    Case("GET /invasive/plants", gives: 404, mentions: "/invasive/plants"),
    Case("POST /invasive/plants", "{}", gives: 404),
    Case("GET /invasive/parks/999", gives: 404),
    Case("GET /invasive/parks/0", gives: 404),
    Case("GET /invasive/parks/-1", gives: 404),
    Case("GET /invasive/parks/one", gives: 404),
    Case("GET /invasive/parks/1.0", gives: 404),
    Case("GET /invasive/species/999", gives: 404),
    Case("GET /invasive/species/9223372036854775808", gives: 404),
    Case("GET /invasive/observations/999999", gives: 404),
    Case("GET /invasive/observations/%20{sighting}", gives: 404),
    Case("GET /directory/people/1", gives: 404),
    Case("GET /directory/people/{key}/999999", gives: 404),
    Case("GET /directory/people/{key}/x", gives: 404),
    Case("PUT /directory/people/{key}/18446744073709551617", "{}", gives: 404),
    Case("DELETE /directory/people/{key}/x", gives: 404),
    // 405 with Allow
    Case("DELETE /invasive/parks/1", gives: 405, allow: "GET HEAD OPTIONS"),
    // 409: the name is taken
    Case("POST /invasive/users", #"{"username":"ada","password":"other"}"#, gives: 409, mentions: "ada"),
    Case("POST /directory/users", #"{"name":"grace","password":"other"}"#, gives: 409, mentions: "grace"),
    // 422: well formed, but it names what doesn't exist
    Case("POST /invasive/observations", sighting(user: "999999"), gives: 422, mentions: "user 999999"),
    Case("POST /invasive/observations", sighting(species: "0"), gives: 422, mentions: "species 0"),
    Case("POST /invasive/observations", sighting(park: "-1"), gives: 422, mentions: "park -1"),
    // OPTIONS alone answers 204
    Case("OPTIONS /invasive/parks", gives: 204, .nothing),
  ]

  /// "A sentence that a student can act on: which member of the body, what was expected, what came."
  /// The members and the headers of every error are looked at in all sections.
  static let errors: [Case] = [
    Case("GET /nothing", gives: 404, type: "application/problem+json", has: ["X-Request-Id"]),
    Case(
      "POST /invasive/observations", sighting(species: "[1]"), gives: 400, mentions: "species number array"),
    Case(
      "POST /invasive/observations", sighting(comment: "5"), gives: 400, mentions: "comment string number"),
    Case("POST /invasive/observations", sighting(date: nil), gives: 400, mentions: "date string missing"),
    Case("POST /invasive/observations", sighting(date: "{}"), gives: 400, mentions: "date string object"),
    Case(
      "POST /invasive/users", #"{"username":"errors-1","password":true}"#, gives: 400,
      mentions: "password true"),
    Case("GET /invasive/observations?limit=0", gives: 400, mentions: "limit 10000"),
    Case("PATCH /invasive/parks", gives: 405, mentions: "PATCH"),
    Case("GET /directory/people/314159265358979323846", gives: 404, has: ["Access-Control-Allow-Origin: *"]),
    Case("HEAD /invasive/parks/999", gives: 404, .nothing, type: "application/problem+json"),
    // The problem never shows a password.
    Case("GET /invasive/users?user=ada&password=lovelace%20", gives: 401),
    Case("POST /invasive/users", #"{"username":"ada","password":"lovelace"}"#, gives: 409),
  ]
}
