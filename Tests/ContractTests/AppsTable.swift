extension Table {
  /// "Objects have exactly these members, in this order, always present, never null."
  static let invasive: [Case] = [
    Case(
      "GET /invasive/species", gives: 200,
      .begins(
        #"[{"idspecies":1,"name":"Garlic Mustard","image":"http://{host}/invasive/images/garlic-mustard.png"},{"idspecies":2,"name":""#
      ), type: "application/json"),
    Case(
      "GET /invasive/species/1", gives: 200,
      #"{"idspecies":1,"name":"Garlic Mustard","image":"http://{host}/invasive/images/garlic-mustard.png"}"#,
      type: "application/json"),
    Case(
      "GET /invasive/parks", gives: 200,
      .begins(#"[{"idpark":1,"name":"Amnicon Falls State Park","county":"Douglas"},{"idpark":2,"#),
      type: "application/json"),
    Case(
      "GET /invasive/parks/1", gives: 200,
      #"{"idpark":1,"name":"Amnicon Falls State Park","county":"Douglas"}"#, type: "application/json"),
    // Pictures: a stem with any extension is the same picture, with its own type.
    Case("GET /invasive/images/garlic-mustard.png", gives: 200, .begins("‹89 50 4E 47›"), type: "image/png"),
    Case("GET /invasive/images/garlic-mustard.jpg", gives: 200, .begins("‹89 50 4E 47›"), type: "image/png"),
    Case("GET /invasive/images/garlic-mustard.JPEG", gives: 200, .begins("‹89 50 4E 47›"), type: "image/png"),
    Case("GET /invasive/images/garlic-mustard.webp", gives: 200, .begins("‹89 50 4E 47›"), type: "image/png"),
    Case("GET /invasive/images/garlic-mustard.heic", gives: 200, .begins("‹89 50 4E 47›"), type: "image/png"),
    Case("GET /invasive/images/garlic-mustard.avif", gives: 200, .begins("‹89 50 4E 47›"), type: "image/png"),
    Case("GET /invasive/images/garlic%2Dmustard.png", gives: 200, type: "image/png"),
    Case("GET /invasive/images/no-such-plant.png", gives: 404),
    Case("GET /invasive/images/Garlic-Mustard.png", gives: 404),
    // Absolute URLs are built from the Host; X-Forwarded-* count only from a trusted proxy.
    Case(
      raw: ["GET /invasive/species/1 HTTP/1.1", "Host: cmsc106.test"], gives: 200,
      .contains(#""image":"http://cmsc106.test/invasive/images/garlic-mustard.png""#), then: .kept),
    Case(
      raw: ["GET /invasive/species HTTP/1.1", "Host: [::1]:8080"], gives: 200,
      .contains(#""image":"http://[::1]:8080/invasive/images/garlic-mustard.png""#), then: .kept),
    Case(
      "GET /invasive/species/1",
      with: ["X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https", "Forwarded: host=evil.example"],
      gives: 200, .contains(#""image":"http://{host}/invasive/images/"#)),
    // Users: iduser is ignored, realname and phone default to "", the password is echoed.
    Case(
      "POST /invasive/users",
      #"{"iduser":0,"username":"i-1","password":"p","realname":"Grace Hopper","phone":"+1 555"}"#, gives: 200,
      .contains(#","username":"i-1","password":"p","realname":"Grace Hopper","phone":"+1 555"}"#),
      type: "application/json"),
    Case("POST /invasive/users", #"{"username":"i-2","password":"p"}"#, gives: 200, .begins(#"{"iduser":"#)),
    Case(
      "POST /invasive/users", #"{"username":"i-3","password":"p"}"#, gives: 200,
      .contains(#","username":"i-3","password":"p","realname":"","phone":""}"#)),
    Case("POST /invasive/users", #"{"iduser":"x","username":"i-4","password":"p"}"#, gives: 200),
    Case("POST /invasive/users", #"{"iduser":1,"username":"i-5","password":"p"}"#, gives: 200),
    Case("POST /invasive/users", #"{"iduser":[{}],"username":"i-6","password":"p"}"#, gives: 200),
    Case(
      "POST /invasive/users", #"{"username":"i-7","password":"p","realname":5}"#, gives: 400,
      mentions: "realname"),
    Case(
      "POST /invasive/users", #"{"username":"i-8","password":"p","phone":555}"#, gives: 400, mentions: "phone"
    ),
    Case(
      "GET /invasive/users?user=ada&password=lovelace", gives: 200,
      #"{"iduser":{user},"username":"ada","password":"lovelace","realname":"Ada","phone":"1"}"#,
      type: "application/json"),
    // Observations.
    Case(
      "GET /invasive/observations/{sighting}", gives: 200,
      #"{"idobservation":{sighting},"user":{user},"species":2,"park":3,"comment":"by the lake","date":"2024-06-01"}"#,
      type: "application/json"),
    Case(
      "GET /invasive/observations?species=2", gives: 200,
      #"[{"idobservation":{sighting},"user":{user},"species":2,"park":3,"comment":"by the lake","date":"2024-06-01"}]"#,
      type: "application/json", lacks: ["Link"]),
    Case(
      "GET /invasive/observations?user={user}&species=2&park=3", gives: 200,
      .begins(#"[{"idobservation":{sighting},"#)),
    Case("GET /invasive/observations?species=2&park=4", gives: 200, "[]", lacks: ["Link"]),
    Case("GET /invasive/observations?user=999999", gives: 200, "[]"),
    Case("GET /invasive/observations?species=2&after={sighting}", gives: 200, "[]"),
    Case("GET /invasive/observations?after=9223372036854775807", gives: 200, "[]"),
    Case(
      "GET /invasive/observations?species=2&after=0&limit=1", gives: 200,
      .begins(#"[{"idobservation":{sighting},"#)),
    Case("GET /invasive/observations?limit=1", gives: 200, .begins("[{")),
    Case("GET /invasive/observations?limit=10000", gives: 200, .begins("[{")),
    Case("GET /invasive/observations?limit=10001", gives: 400, mentions: "limit"),
    Case("GET /invasive/observations?limit=-1", gives: 400, mentions: "limit"),
    Case("GET /invasive/observations?limit=", gives: 400, mentions: "limit"),
    Case("GET /invasive/observations?park=%C3", gives: 400, mentions: "park"),
    Case("GET /invasive/observations?user=9223372036854775808", gives: 400, mentions: "user"),
    Case("POST /invasive/observations", sighting(user: nil), gives: 400, mentions: "user"),
    Case("POST /invasive/observations", sighting(species: nil), gives: 400, mentions: "species"),
    Case("POST /invasive/observations", sighting(park: nil), gives: 400, mentions: "park"),
    Case("POST /invasive/observations", sighting(comment: nil), gives: 400, mentions: "comment"),
    Case("POST /invasive/observations", sighting(date: nil), gives: 400, mentions: "date"),
    Case("POST /invasive/observations", sighting(date: #""June 1st, about noon""#), gives: 200, .id),
    Case("POST /invasive/observations", sighting(comment: "false"), gives: 400, mentions: "comment"),
  ]

  /// "The key is … a decimal number, text/plain, no quotes, no newline."
  static let directory: [Case] = [
    Case("POST /directory/users", #"{"name":"d-1","password":"p"}"#, gives: 200, .key, type: "text/plain"),
    Case("POST /directory/users", #"{"username":"d-2","password":"p"}"#, gives: 200, .key),
    Case("POST /directory/users", #"{"user":"d-3","password":"p"}"#, gives: 200, .key),
    Case("POST /directory/users", #"{"id":0,"name":"d-4","password":"p","key":""}"#, gives: 200, .key),
    Case(
      "POST /directory/users", #"{"name":"d-5","password":"p"}"#, with: ["Accept: application/json"],
      gives: 200, .quotedKey),
    Case("POST /directory/users", #"{"password":"p"}"#, gives: 400, mentions: "name"),
    Case("POST /directory/users", #"{"name":"d-6"}"#, gives: 400, mentions: "password"),
    Case("GET /directory/users?user=grace&password=p", gives: 200, "{key}", type: "text/plain"),
    Case(
      "GET /directory/users?user=grace&password=p", with: ["Accept: */*"], gives: 200, "{key}",
      type: "text/plain"),
    Case("GET /directory/users?user=grace&password=p", with: ["Accept: text/plain"], gives: 200, "{key}"),
    Case(
      "GET /directory/users?user=grace&password=p", with: ["Accept: application/json"], gives: 200,
      #""{key}""#, type: "application/json"),
    Case(
      "GET /directory/users?user=grace&password=p",
      with: ["Accept: application/json, text/javascript, */*; q=0.01"], gives: 200, #""{key}""#,
      type: "application/json"),
    Case(
      "GET /directory/users?user=grace&password=p", with: ["Accept: text/html, Application/JSON;q=0.9"],
      gives: 200, #""{key}""#),
    // People: id, name, office, user, then the client's own, each value as it was written.
    Case(
      "GET /directory/people/{key}/{person}", gives: 200,
      #"{"id":{person},"name":"Hopper","office":"A-0","user":{owner},"email":"g@navy.mil","rate":1.10,"n":12345678901234567890}"#,
      type: "application/json"),
    Case(
      "GET /directory/people/{key}/{second}", gives: 200,
      #"{"id":{second},"name":"Lovelace","office":"","user":{owner}}"#),
    Case(
      "GET /directory/people/{key}", gives: 200,
      #"[{"id":{person},"name":"Hopper","office":"A-0","user":{owner},"email":"g@navy.mil","rate":1.10,"n":12345678901234567890},{"id":{second},"name":"Lovelace","office":"","user":{owner}}]"#,
      type: "application/json"),
    Case("GET /directory/people/{empty}", gives: 200, "[]", type: "application/json"),
    Case("POST /directory/people/{scratch}", #"{"id":0,"name":"n","office":"o"}"#, gives: 200, .id),
    Case("POST /directory/people/{scratch}", "{}", gives: 200, .id),
    Case("POST /directory/people/{scratch}", #"{"id":"x","user":{"a":[]},"name":"n"}"#, gives: 200, .id),
    Case("POST /directory/people/{scratch}", #"{"id":1.5,"user":true}"#, gives: 200, .id),
    Case("POST /directory/people/{scratch}", #"{"name":null,"office":null,"x":null}"#, gives: 200, .id),
    Case("POST /directory/people/{scratch}", #"{"name":5}"#, gives: 400, mentions: "name"),
    Case("POST /directory/people/{scratch}", #"{"office":[]}"#, gives: 400, mentions: "office"),
    Case("POST /directory/people/{scratch}", #"[{"name":"n"}]"#, gives: 400, mentions: "object"),
    Case("PUT /directory/people/{scratch}/{another}", "[]", gives: 400, mentions: "object"),
    Case("PUT /directory/people/{scratch}/{another}", #"{"name":5}"#, gives: 400, mentions: "name"),
    Case("PUT /directory/people/{scratch}/{another}", #"{"id":999,"name":"n"}"#, gives: 200, "{another}"),
    // "An unknown key is 404; a person of another key is 404."
    Case("GET /directory/people/{key}0", gives: 404),
    Case("GET /directory/people/0{key}", gives: 404),
    Case("GET /directory/people/%20{key}", gives: 404),
    Case("POST /directory/people/1", #"{"name":"n"}"#, gives: 404),
    Case("PUT /directory/people/1/{person}", "{}", gives: 404),
    Case("DELETE /directory/people/1/{person}", gives: 404),
    Case("GET /directory/people/{key}/{theirs}", gives: 404),
    Case("PUT /directory/people/{key}/{theirs}", "{}", gives: 404),
    Case("DELETE /directory/people/{key}/{theirs}", gives: 404),
    Case("GET /directory/people/{other}/{theirs}", gives: 200, .contains(#""name":"Clarke","office":"B-1""#)),
  ]

  /// "Counted by app, name and address." The counting is a scenario.
  static let badLogins: [Case] = [
    Case("GET /invasive/users?user=&password=", gives: 401),
    Case("GET /invasive/users?user=grace&password=p", gives: 401),
    Case("GET /directory/users?user=ada&password=lovelace", gives: 401),
    Case("GET /directory/users?user=Grace&password=p", gives: 401),
    Case("GET /directory/users?user=%27%20OR%201=1--&password=p", gives: 401),
  ]
}
