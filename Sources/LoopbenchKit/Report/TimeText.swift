/// One time as text, in the unit that fits it.
package enum TimeText {
  /// Three figures: `1.25us`, `310ns`, `2.00s`.
  package static func short(_ nanoseconds: Double) -> String {
    let (value, unit) = scaled(nanoseconds)
    return Decimals.text(value, digits: Decimals.digits(for: value)) + unit
  }

  /// No digit that says nothing, for an axis: `1 us`, `2.5 ms`.
  package static func tick(_ nanoseconds: Double) -> String {
    let (value, unit) = scaled(nanoseconds)
    return Decimals.shortest(value) + " " + unit
  }

  private static func scaled(_ nanoseconds: Double) -> (Double, String) {
    // A hair below 1000, which rounding would show as 1000, is 1 of the next.
    switch nanoseconds.magnitude {
    case ..<999.9995: (nanoseconds, "ns")
    case ..<999_999.5: (nanoseconds / 1000, "us")
    case ..<999_999_500: (nanoseconds / 1_000_000, "ms")
    default: (nanoseconds / 1_000_000_000, "s")
    }
  }
}

extension Decimals {
  /// `value` to three digits after the point, without zeros at the end.
  package static func shortest(_ value: Double) -> String {
    var text = text(value, digits: 3)
    guard text.contains(".") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }
}
