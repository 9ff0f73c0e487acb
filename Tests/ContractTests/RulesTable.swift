extension Table {
  /// "Compared after NFC, case-sensitively, never trimmed; what was posted is what is given back."
  static let names: [Case] = [
    Case(
      "GET /invasive/users?user=Jose%CC%81&password=cafe%CC%81", gives: 200,
      .contains("\"username\":\"Jose\u{301}\",\"password\":\"cafe\u{301}\",")),
    Case(
      "GET /invasive/users?user=Jos%C3%A9&password=caf%C3%A9", gives: 200,
      .contains("\"username\":\"Jose\u{301}\",\"password\":\"caf\u{E9}\",")),
    Case("POST /invasive/users", #"{"username":"Jos‹C3 A9›","password":"p"}"#, gives: 409),
    Case("GET /invasive/users?user=jos%C3%A9&password=caf%C3%A9", gives: 401),
    Case("GET /invasive/users?user=Ada&password=lovelace", gives: 401),
    Case("GET /invasive/users?user=ada&password=Lovelace", gives: 401),
    Case("POST /invasive/users", #"{"username":"ADA","password":"p"}"#, gives: 200),
    Case(
      "GET /invasive/users?user=%20spaced%20&password=%20p%20", gives: 200,
      .contains(#""username":" spaced ","#)),
    Case("GET /invasive/users?user=spaced&password=%20p%20", gives: 401),
    Case("GET /invasive/users?user=%20spaced%20&password=p", gives: 401),
    Case("POST /invasive/users", #"{"username":"spaced","password":"p"}"#, gives: 200),
    // NFC and not NFKC: a ligature is no pair of letters.
    Case(
      "POST /invasive/users", #"{"username":"ﬁsh","password":"p"}"#, gives: 200,
      .contains(#""username":"ﬁsh","#)),
    Case("POST /directory/users", #"{"name":" ","password":" "}"#, gives: 200, .key),
    Case(
      "GET /invasive/users?user=%F0%9F%98%80&password=%F0%9F%94%91", gives: 200,
      .contains(#""password":"🔑","#)),
    Case(
      "GET /invasive/users?user=a%00b&password=n%00l", gives: 200,
      .contains(#""username":"a\u0000b","password":"n\u0000l","#)),
    Case("GET /invasive/users?user=a&password=n%00l", gives: 401),
    Case("GET /invasive/users?user=a%00b&password=n", gives: 401),
  ]

  /// "& splits pairs, the first = splits name from value, ; splits nothing, the first of repeated
  /// parameters counts, an invalid percent escape is taken literally."
  static let query: [Case] = [
    Case("GET /invasive/users?user=eq&password=x=y;z", gives: 200, .contains(#""password":"x=y;z","#)),
    Case("GET /invasive/users?user=eq&password=x%3Dy%3bz", gives: 200, .contains(#""password":"x=y;z","#)),
    Case("GET /invasive/users?user=eq;password=x=y;z", gives: 400, mentions: "password"),
    Case("GET /invasive/users?user=amp&password=a%26b", gives: 200, .contains(#""password":"a&b","#)),
    Case("GET /invasive/users?user=amp&password=a&b", gives: 401),
    Case(
      "GET /invasive/users?user=percent&password=100%zz%", gives: 200, .contains(#""password":"100%zz%","#)),
    Case(
      "GET /invasive/users?user=percent&password=100%25zz%25", gives: 200,
      .contains(#""password":"100%zz%","#)),
    Case("GET /invasive/users?&&user=eq&x&=&password=x=y;z&", gives: 200),
    Case("GET /invasive/users?user=eq&password=x=y;z&password=wrong&user=amp", gives: 200),
    Case("GET /invasive/users?user=eq&password=wrong&password=x=y;z", gives: 401),
    Case("GET /invasive/users?%75ser=eq&p%61ssword=x=y;z", gives: 200),
    Case("GET /invasive/users?User=eq&password=x=y;z", gives: 400, mentions: "user"),
    Case("GET /invasive/users?user=eq&password=x=y;z?", gives: 401),
    // "At most two readings of the whole query, + as itself first, then + as a space."
    Case("GET /invasive/users?user=plus+sign&password=a+b", gives: 200, .contains(#""password":"a+b","#)),
    Case("GET /invasive/users?user=plus%2Bsign&password=a%2Bb", gives: 200, .contains(#""password":"a+b","#)),
    Case("GET /invasive/users?user=two+words&password=c+d", gives: 200, .contains(#""password":"c d","#)),
    Case("GET /invasive/users?user=two%20words&password=c%20d", gives: 200, .contains(#""password":"c d","#)),
    Case("GET /invasive/users?user=mix%2Bed&password=e+f", gives: 200, .contains(#""password":"e f","#)),
    Case("GET /invasive/users?user=mix+ed&password=e+f", gives: 401),
    Case("GET /invasive/users?user=plus+sign&password=a%20b", gives: 401),
    Case("GET /invasive/users?user=plus%20sign&password=a+b", gives: 401),
    // Filters and pages.
    Case("GET /invasive/observations?user={user}&limit=1&limit=x", gives: 200),
    Case("GET /invasive/observations?user={user}&user=x&limit=%31", gives: 200),
    Case("GET /invasive/observations?species=2;park=3", gives: 400, mentions: "species"),
    Case("GET /invasive/observations?limit=1%zz", gives: 400, mentions: "limit"),
    Case("GET /invasive/observations?limit=1%", gives: 400, mentions: "limit"),
    Case("GET /invasive/observations?unknown=x&limit=1", gives: 200),
  ]

  /// "Split on / before it is percent-decoded … One trailing slash is the same resource."
  static let path: [Case] = [
    Case("GET /invasive/parks/1/", gives: 200),
    Case("GET /invasive/parks/", gives: 200),
    Case("GET /directory/people/{key}/{second}/", gives: 200),
    Case("GET /invasive/parks/%31", gives: 200, .begins(#"{"idpark":1,"#)),
    Case("GET /%69nvasive/park%73/1", gives: 200, .begins(#"{"idpark":1,"#)),
    // "So %2F inside a key or an id is a character."
    Case("GET /directory/people/{key}%2F{person}", gives: 404),
    Case("DELETE /directory/people/{scratch}%2F{slashed}", gives: 405),
    Case("GET /directory/people/{scratch}/{slashed}", gives: 200),
    Case("GET /directory/people/{key}/{person}%2F", gives: 404),
    Case("GET /invasive%2Fparks", gives: 404),
    Case("GET /invasive%2fparks/1", gives: 404),
    Case("GET /directory/people/%2F", gives: 404),
    // "//, ., .. and %00 are 404, never followed."
    Case("GET //invasive/parks", gives: 404),
    Case("GET /invasive//parks", gives: 404),
    Case("GET /invasive/parks//", gives: 404),
    Case("GET /directory/people//{person}", gives: 404),
    Case("GET /./invasive/parks", gives: 404),
    Case("GET /invasive/./parks", gives: 404),
    Case("GET /invasive/parks/.", gives: 404),
    Case("GET /invasive/species/../parks", gives: 404),
    Case("GET /invasive/parks/1/..", gives: 404),
    Case("GET /invasive/species/%2e%2e/parks", gives: 404),
    Case("GET /invasive/%2E/parks", gives: 404),
    Case("GET /invasive/images/../../../etc/passwd", gives: 404),
    Case("GET /invasive/images/..%2F..%2Fetc%2Fpasswd", gives: 404),
    Case("GET /invasive/images/%2e%2e%2funderstudy.png", gives: 404),
    Case("GET /invasive/parks/1%00", gives: 404),
    Case("GET /invasive/images/garlic-mustard.png%00.png", gives: 404),
    Case("GET /directory/people/{key}%00", gives: 404),
    Case("GET /invasive/parks/%zz", gives: 404),
    Case("GET /invasive/parks/1%", gives: 404),
    Case("GET /directory/people/%FF%FE", gives: 404),
    // "Paths are case-sensitive."
    Case("GET /Invasive/parks", gives: 404),
    Case("GET /invasive/PARKS", gives: 404),
    Case("GET /directory/People/{key}", gives: 404),
    Case("GET /invasive/parks?x=/../y", gives: 200),
    Case("GET /invasive/parks/1/2", gives: 404),
  ]

  /// "HEAD answers as GET without the body. OPTIONS answers 204 with Allow, and a preflight …"
  static let methods: [Case] = [
    Case("HEAD /invasive/parks", gives: 200, .nothing, type: "application/json", has: ["ETag"]),
    Case("HEAD /directory/people/{key}/{person}", gives: 200, .nothing, has: ["ETag"]),
    Case("HEAD /invasive/images/garlic-mustard.png", gives: 200, .nothing, type: "image/png"),
    Case("HEAD /invasive/users?user=ada&password=lovelace", gives: 200, .nothing),
    Case("OPTIONS /invasive/species", gives: 204, .nothing, allow: "GET HEAD OPTIONS"),
    Case("OPTIONS /invasive/users", gives: 204, .nothing, allow: "GET HEAD POST OPTIONS"),
    Case("OPTIONS /invasive/observations", gives: 204, .nothing, allow: "GET HEAD POST OPTIONS"),
    Case("OPTIONS /directory/users", gives: 204, .nothing, allow: "GET HEAD POST OPTIONS"),
    Case("OPTIONS /directory/people/{key}", gives: 204, .nothing, allow: "GET HEAD POST OPTIONS"),
    Case("OPTIONS /directory/people/{key}/1", gives: 204, .nothing, allow: "GET HEAD PUT DELETE OPTIONS"),
    Case("OPTIONS *", gives: 204, .nothing, has: ["Allow"]),
    Case("POST /invasive/species", "{}", gives: 405, allow: "GET HEAD OPTIONS"),
    Case("POST /invasive/species/1", "{}", gives: 405, allow: "GET HEAD OPTIONS"),
    Case("POST /invasive/parks", "{}", gives: 405, allow: "GET HEAD OPTIONS"),
    Case("PUT /invasive/images/garlic-mustard.png", "x", gives: 405, allow: "GET HEAD OPTIONS"),
    Case("PUT /invasive/users", "{}", gives: 405, allow: "GET HEAD POST OPTIONS"),
    Case("DELETE /invasive/observations", gives: 405, allow: "GET HEAD POST OPTIONS"),
    Case("DELETE /invasive/observations/{sighting}", gives: 405, allow: "GET HEAD OPTIONS"),
    Case("DELETE /directory/users", gives: 405, allow: "GET HEAD POST OPTIONS"),
    Case("PUT /directory/people/{key}", "{}", gives: 405, allow: "GET HEAD POST OPTIONS"),
    Case("POST /directory/people/{key}/{person}", "{}", gives: 405, allow: "GET HEAD PUT DELETE OPTIONS"),
    Case("PATCH /directory/people/{key}/{person}", "{}", gives: 405, allow: "GET HEAD PUT DELETE OPTIONS"),
    Case("TRACE /invasive/parks", gives: 405, allow: "GET HEAD OPTIONS"),
    // A method's name is case-sensitive (RFC 9110, section 9.1).
    Case("get /invasive/parks", gives: 405, allow: "GET HEAD OPTIONS"),
    Case("Post /directory/users", "{}", gives: 405, allow: "GET HEAD POST OPTIONS"),
    Case("PURGE /nothing", gives: 404),
    // A CORS preflight.
    Case(
      "OPTIONS /invasive/observations",
      with: [
        "Origin: http://localhost:5500", "Access-Control-Request-Method: POST",
        "Access-Control-Request-Headers: content-type, idempotency-key",
      ], gives: 204, .nothing,
      has: [
        "Access-Control-Allow-Origin: *", "Access-Control-Allow-Headers: content-type, idempotency-key",
        "Access-Control-Allow-Methods", "Access-Control-Max-Age",
      ]),
    Case(
      "OPTIONS /directory/people/{key}/1",
      with: ["Origin: null", "Access-Control-Request-Method: DELETE"], gives: 204, .nothing,
      has: ["Access-Control-Allow-Methods", "Access-Control-Max-Age"],
      lacks: ["Access-Control-Allow-Headers"]),
    Case(
      "GET /invasive/parks", with: ["Origin: https://a.example"], gives: 200,
      has: ["Access-Control-Allow-Origin: *"]),
  ]

  /// "GET answers carry a strong ETag and no-cache … Logins and keys: no-store, no ETag." Both are
  /// looked at in every answer to a GET, in all sections.
  static let caching: [Case] = [
    Case("GET /invasive/species", gives: 200, has: ["ETag", "Cache-Control: no-cache"]),
    Case("GET /invasive/parks", gives: 200, has: ["ETag", "Cache-Control: no-cache"]),
    Case("GET /invasive/parks/7", gives: 200, has: ["ETag", "Cache-Control: no-cache"]),
    Case("GET /invasive/images/garlic-mustard.png", gives: 200, has: ["ETag", "Cache-Control: no-cache"]),
    Case("GET /invasive/observations?limit=1", gives: 200, has: ["ETag", "Cache-Control: no-cache"]),
    Case("GET /directory/people/{key}", gives: 200, has: ["ETag", "Cache-Control: no-cache"]),
    Case(
      "GET /invasive/parks", with: ["If-None-Match: *"], gives: 304, .nothing,
      has: ["ETag", "Cache-Control: no-cache"]),
    Case("GET /directory/people/{key}", with: ["If-None-Match: *"], gives: 304, .nothing, has: ["ETag"]),
    Case("HEAD /invasive/parks/1", with: ["If-None-Match: *"], gives: 304, .nothing, has: ["ETag"]),
    Case("GET /invasive/parks", with: [#"If-None-Match: "other", W/"another""#], gives: 200),
    Case("GET /invasive/parks/999", with: ["If-None-Match: *"], gives: 404, lacks: ["ETag"]),
    Case(
      "GET /invasive/users?user=fish&password=p", gives: 200, has: ["Cache-Control: no-store"],
      lacks: ["ETag"]),
    Case("GET /invasive/users?user=fish&password=p", with: ["If-None-Match: *"], gives: 200, lacks: ["ETag"]),
    Case(
      "GET /directory/users?user=joan&password=p", gives: 200, "{other}", has: ["Cache-Control: no-store"],
      lacks: ["ETag"]),
    Case("GET /directory/users?user=joan&password=p", with: ["If-None-Match: *"], gives: 200, "{other}"),
    Case(
      "POST /directory/users", #"{"name":"caching-1","password":"p"}"#, gives: 200, .key,
      has: ["Cache-Control: no-store"], lacks: ["ETag"]),
    Case(
      "POST /invasive/users", #"{"username":"caching-2","password":"p"}"#, gives: 200,
      has: ["Cache-Control: no-store"], lacks: ["ETag"]),
  ]

  /// "Changes answer with the row's id as a bare JSON number, with Location; never an object."
  static let changes: [Case] = [
    Case(
      "POST /invasive/observations", sighting(), gives: 200, .id, type: "application/json", has: ["Location"]),
    Case(
      "POST /directory/people/{scratch}", "{}", gives: 200, .id, type: "application/json", has: ["Location"]),
    Case(
      "PUT /directory/people/{scratch}/{replaced}", #"{"name":"new"}"#, gives: 200, "{replaced}",
      type: "application/json", has: ["Location"]),
    Case(
      "DELETE /directory/people/{scratch}/{deleted}", gives: 200, "{deleted}", type: "application/json",
      has: ["Location"]),
    Case("POST /invasive/observations", sighting(), with: ["Accept: text/plain"], gives: 200, .id),
  ]

  /// "Without the header, identical posts are separate rows." Replays are scenarios.
  static let idempotency: [Case] = [
    Case("POST /invasive/observations", sighting(), with: ["Idempotency-Key: one"], gives: 200, .id),
    Case(
      "POST /invasive/observations", sighting(), with: [#"Idempotency-Key: "two; \" three""#], gives: 200, .id
    ),
    Case("POST /invasive/observations", sighting(), with: ["Idempotency-Key: ‹E9 FF›"], gives: 200, .id),
    Case("POST /invasive/observations", sighting(park: "999"), with: ["Idempotency-Key: four"], gives: 422),
    Case("GET /invasive/parks", with: ["Idempotency-Key: five"], gives: 200),
  ]
}
