/// What the server's own pages have in common: nothing that has to be loaded, no script.
enum WebPage {
  static let type = "text/html; charset=utf-8"

  /// A page of HTML.
  ///
  /// - Parameters:
  ///   - title: escaped already.
  ///   - style: rules of its own, in CSS.
  ///   - body: in HTML.
  static func html(title: String, style: String = "", body: String) -> String {
    """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(title)</title>
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
    \(style)</style>
    \(body)
    </html>

    """
  }

  /// A text as HTML has it, in an attribute too.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
