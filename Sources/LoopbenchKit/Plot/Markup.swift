/// Builds SVG and HTML: escapes what needs it.
struct Markup {
  private(set) var text = ""

  typealias Attributes = KeyValuePairs<String, String>

  /// Adds an element with what `content` adds; without, an empty one.
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

  /// Adds an element that only has words.
  mutating func element(_ name: String, _ attributes: Attributes = [:], words: String) {
    element(name, attributes) { $0.words(words) }
  }

  /// Adds words.
  /// Words at a place in a picture; `anchor` says which part of them is there.
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

  /// A straight line, from the first place to the last.
  mutating func line(x: (Double, Double), y: (Double, Double), class name: String) {
    let (x1, x2) = (Self.number(x.0), Self.number(x.1))
    element(
      "line",
      ["x1": x1, "x2": x2, "y1": Self.number(y.0), "y2": Self.number(y.1), "class": name]
    )
  }

  mutating func words(_ words: String) { text += Self.escaped(words) }

  /// Adds what is markup already.
  mutating func raw(_ markup: String) { text += markup }

  /// Ends the line, so that a difference between two files can be read.
  mutating func line() { text += "\n" }

  static func escaped(_ words: String) -> String {
    words.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "\t", "\n", "\r": text += " "
      // XML has no other control characters.
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: text += "?"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// A coordinate.
  static func number(_ value: Double) -> String { Decimals.shortest((value * 10).rounded() / 10) }
}
