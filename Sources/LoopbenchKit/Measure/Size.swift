/// The number at the end of the name of a series whose cost is measured for several
/// sizes: 100,000 in `posts.100k`.
package struct Size: Equatable, Sendable {
  /// The number.
  package let count: Int
  /// The name of the series without the number: `posts`.
  package let kind: String

  /// Reads the name of a series. Returns `nil` if it does not end with a dot and a
  /// size.
  package init?(of series: String) {
    guard let dot = series.lastIndex(of: ".") else { return nil }
    var text = series[series.index(after: dot)...]
    let isThousands = text.last == "k"
    if isThousands { text.removeLast() }
    guard let number = Int(text), number > 0, text.allSatisfy(\.isNumber) else { return nil }
    count = number * (isThousands ? 1000 : 1)
    kind = String(series[..<dot])
  }

  /// The name of the series of `kind` with this size.
  static func name(_ kind: String, _ count: Int) -> String { "\(kind).\(text(count))" }

  /// The size as the name has it: 100 and 100k.
  static func text(_ count: Int) -> String {
    count >= 1000 && count % 1000 == 0 ? "\(count / 1000)k" : "\(count)"
  }
}
