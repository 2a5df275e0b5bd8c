/// Builds SVG and HTML, and escapes text and attributes.
package struct Markup {
  package private(set) var text = ""

  package typealias Attributes = KeyValuePairs<String, String>

  package init() {}

  /// Adds an element. The element is empty if `content` is nil.
  package mutating func element(
    _ name: String,
    _ attributes: Attributes = [:],
    content: ((inout Markup) -> Void)? = nil
  ) {
    text += "<" + name
    for (key, value) in attributes where !value.isEmpty {
      text += " \(key)=\"\(Self.escaped(value))\""
    }
    guard let content else {
      text += "/>"
      return
    }
    text += ">"
    content(&self)
    text += "</\(name)>"
  }

  /// Adds an element that contains only text.
  package mutating func element(
    _ name: String,
    _ attributes: Attributes = [:],
    words: String
  ) {
    element(name, attributes) { $0.text += Self.escaped(words) }
  }

  /// Adds text at a point of a picture.
  ///
  /// - Parameter anchor: The part of the text that lies at the point: a value of SVG's
  ///   `text-anchor`.
  mutating func text(
    _ words: String,
    x: Double,
    y: Double,
    dy: String = "",
    anchor: String = "",
    class name: String = ""
  ) {
    let place: Attributes = [
      "x": Self.number(x), "y": Self.number(y), "dy": dy, "text-anchor": anchor, "class": name,
    ]
    element("text", place, words: words)
  }

  /// Adds a straight line.
  mutating func line(x: (Double, Double), y: (Double, Double), class name: String) {
    let (x1, x2) = (Self.number(x.0), Self.number(x.1))
    element(
      "line",
      ["x1": x1, "x2": x2, "y1": Self.number(y.0), "y2": Self.number(y.1), "class": name]
    )
  }

  /// Adds markup without escaping it.
  package mutating func raw(_ markup: String) { text += markup }

  /// Adds a newline, so that a diff of two files is readable.
  package mutating func line() { text += "\n" }

  // `printable`, because XML allows no other control characters.
  private static func escaped(_ words: String) -> String { words.escaped(with: escapes).printable }

  private static let escapes: [Unicode.Scalar: String] = [
    "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "\t": " ", "\n": " ", "\r": " ",
  ]

  /// A coordinate, rounded to a tenth.
  static func number(_ value: Double) -> String { Decimals.shortest((value * 10).rounded() / 10) }
}

extension Markup {
  /// A page that loads nothing from the network.
  ///
  /// - Parameters:
  ///   - beginning: The first lines of the file.
  ///   - body: Adds the contents. Scripts may be among them.
  package static func page(
    title: String,
    beginning: String,
    style: String,
    body: @escaping (inout Markup) -> Void
  ) -> String {
    var markup = Markup()
    markup.raw(beginning)
    markup.element("html", ["lang": "en"]) { html in
      html.element("head") { head in
        head.raw(policy)
        head.element("title", words: "loopbench: " + title)
        head.line()
        head.element("style") { $0.raw("\n" + style) }
        head.line()
      }
      html.line()
      html.element("body") { content in
        content.line()
        body(&content)
      }
    }
    return markup.text + "\n"
  }

  // The policy makes a browser refuse every request, even of a script in a name.
  private static let policy =
    """

    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
    style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
    <meta name="viewport" content="width=device-width">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="data:,">

    """
}
