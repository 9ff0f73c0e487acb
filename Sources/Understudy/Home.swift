import HTTP
import JSON

/// `/`: what this server is, for someone who types its address into a browser.
enum Home {
  static func addRoutes(to router: inout Router) {
    let page = PreparedResponse(
      Response(type: "text/html; charset=utf-8", body: .buffer(ByteBuffer(html)), caching: .validated(nil)))
    router.get("/") { _ in .prepared(page) }
  }

  private static let html = """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Understudy</title>
    <link rel="icon" href="data:,">
    <style>
      :root { color-scheme: light dark; }
      body { font: 1rem/1.55 system-ui, sans-serif; max-width: 40rem; margin: 2.5rem auto; padding: 0 1.25rem; }
      h1 { font-size: 1.6rem; margin-bottom: 0.25rem; }
      h2 { font-size: 1.05rem; margin: 2rem 0 0.5rem; }
      p { margin: 0.25rem 0 0.75rem; }
      ul { list-style: none; margin: 0; padding: 0; }
      li { padding: 0.35rem 0; border-top: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
      code { font: 0.95em ui-monospace, monospace; overflow-wrap: anywhere; }
      small { opacity: 0.75; display: block; }
    </style>
    <h1>Understudy</h1>
    <p>This server stands in for cmsc106.net: the same addresses and the same JSON, for the invasive
    species app and the directory app. Point an app here by putting this page’s address in the place
    of <code>https://cmsc106.net</code>.</p>

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
    </html>

    """
}
