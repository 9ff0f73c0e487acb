import HTTP
import JSON

/// `/`: what this server is, for someone who types its address into a browser.
enum Home {
  static func addRoutes(to router: inout Router) {
    let page = PreparedResponse(
      Response(type: WebPage.type, body: .buffer(ByteBuffer(html)), caching: .validated(nil)))
    router.get("/") { _ in .prepared(page) }
  }

  private static let html = WebPage.html(
    title: "Understudy",
    body: """
        <h1>Understudy</h1>
        <p>This server stands in for cmsc106.net: the same addresses and the same JSON, for the invasive
        species app and the directory app. Point an app here by putting this page’s address in the place
        of <code>https://cmsc106.net</code>, or <a href="/connect">connect a phone</a>.</p>

        <h2>Invasive species</h2>
        <ul>
        <li><a href="/invasive/species"><code>/invasive/species</code></a> <small>the species, and one of them at <a href="/invasive/species/1"><code>/invasive/species/1</code></a></small>
        <li><a href="/invasive/parks"><code>/invasive/parks</code></a> <small>the state parks, and one of them at <a href="/invasive/parks/1"><code>/invasive/parks/1</code></a></small>
        <li><a href="/invasive/observations"><code>/invasive/observations</code></a> <small>the sightings; POST one to upload it</small>
        <li><code>/invasive/users</code> <small>POST to sign up, GET with <code>?user=…&amp;password=…</code> to log in</small>
        <li><code>/invasive/images/…</code> <small>the species’ pictures, like <a href="/invasive/images/garlic-mustard.png"><code>garlic-mustard.png</code></a></small>
        </ul>

        <h2>Directory</h2>
        <ul>
        <li><code>/directory/users</code> <small>POST to sign up, GET with <code>?user=…&amp;password=…</code> to log in: both give a key</small>
        <li><code>/directory/people/<var>key</var></code> <small>the people under that key; POST to add one</small>
        <li><code>/directory/people/<var>key</var>/<var>id</var></code> <small>one of them: GET, PUT, DELETE</small>
        </ul>
      """)
}
