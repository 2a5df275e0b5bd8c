/// Builds SVG and HTML, and escapes text and attributes.
struct Markup {
  private(set) var text = ""

  typealias Attributes = KeyValuePairs<String, String>

  /// Adds an element. The element is empty if `content` is nil.
  mutating func element(
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
  mutating func element(_ name: String, _ attributes: Attributes = [:], words: String) {
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
  mutating func raw(_ markup: String) { text += markup }

  /// Adds a newline, so that a diff of two files is readable.
  mutating func line() { text += "\n" }

  // `printable`, because XML allows no other control characters.
  private static func escaped(_ words: String) -> String { words.escaped(with: escapes).printable }

  private static let escapes: [Unicode.Scalar: String] = [
    "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "\t": " ", "\n": " ", "\r": " ",
  ]

  /// A coordinate, rounded to a tenth.
  static func number(_ value: Double) -> String { Decimals.shortest((value * 10).rounded() / 10) }
}
