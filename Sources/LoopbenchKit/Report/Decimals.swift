/// Numbers as text, without Foundation.
package enum Decimals {
  /// `value` with exactly `digits` after the point, halves away from zero; `-`
  /// for what is not a number, or has more than 18 digits. A file can hold any.
  package static func text(_ value: Double, digits: Int) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let product = (value.magnitude * Double(scale)).rounded()
    guard value.magnitude < 1e15, product < 1e18 else { return "-" }
    let scaled = Int(product)
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return sign + String(scaled) }
    let fraction = String(scaled % scale)
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(sign)\(scaled / scale).\(zeros)\(fraction)"
  }

  /// Digits after the point that show three figures of `value`.
  package static func digits(for value: Double) -> Int {
    switch value.magnitude {
    case ..<9.995: 2
    case ..<99.95: 1
    default: 0
    }
  }

  /// With a sign, also above zero.
  package static func signed(_ value: Double, digits: Int) -> String {
    let text = text(value, digits: digits)
    return value > 0 ? "+" + text : text
  }
}

extension Decimals {
  /// All of `value`, in the fewest digits that give it back, for programs.
  package static func exact(_ value: Double) -> String {
    guard let whole = Int(exactly: value) else { return "\(value)" }
    return String(whole)
  }
}
