/// Formats numbers without Foundation.
package enum Decimals {
  /// `value` with exactly `digits` decimal places, rounded half away from zero.
  ///
  /// Returns `-` if `value` is not a number or has more than 18 digits. A file can
  /// contain such values.
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

  /// The number of decimal places that `value` needs for three significant digits.
  package static func digits(for value: Double) -> Int {
    switch value.magnitude {
    case ..<9.995: 2
    case ..<99.95: 1
    default: 0
    }
  }

  /// `value` to three significant digits.
  package static func figures(_ value: Double) -> String { text(value, digits: digits(for: value)) }

  /// `value` with a sign, even if it is positive.
  package static func signed(_ value: Double, digits: Int) -> String {
    let text = text(value, digits: digits)
    return value > 0 ? "+" + text : text
  }

  /// The shortest text that parses to exactly `value`.
  package static func exact(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }

  /// `value` to at most three decimal places, without trailing zeros.
  package static func shortest(_ value: Double) -> String {
    var text = text(value, digits: 3)
    guard text.contains(".") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  /// The value of a text that consists of digits and at most one point. Nil for a
  /// text with a sign or an exponent.
  package static func value(of text: some StringProtocol) -> Double? {
    guard text.first?.isNumber ?? false, text.allSatisfy({ $0 == "." || $0.isASCII && $0.isNumber })
    else { return nil }
    return Double(text)
  }
}

/// Times as text with a unit.
package enum TimeText {
  /// The time with three significant digits: `1.25us`, `310ns`, `2.00s`.
  package static func short(_ nanoseconds: Double) -> String {
    let (value, unit) = scaled(nanoseconds)
    return Decimals.figures(value) + unit
  }

  /// The time with three significant digits and a space before the unit: `1.25 us`.
  package static func spaced(_ nanoseconds: Double) -> String {
    let (value, unit) = scaled(nanoseconds)
    return Decimals.figures(value) + " " + unit
  }

  /// The time with as few digits as possible, for the labels of an axis: `1 us`,
  /// `2.5 ms`.
  package static func tick(_ nanoseconds: Double) -> String {
    let (value, unit) = scaled(nanoseconds)
    return Decimals.shortest(value) + " " + unit
  }

  private static func scaled(_ nanoseconds: Double) -> (Double, String) {
    // A value that would be rounded to 1000 is shown as 1 of the next unit.
    switch nanoseconds.magnitude {
    case ..<999.9995: (nanoseconds, "ns")
    case ..<999_999.5: (nanoseconds / 1000, "us")
    case ..<999_999_500: (nanoseconds / 1_000_000, "ms")
    default: (nanoseconds / 1_000_000_000, "s")
    }
  }

  fileprivate static let units = [
    "ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "min": 60e9, "h": 3600e9,
  ]

  /// The nanoseconds in a text such as `3s`, `250ms` or `1.5us`. Nil if the text
  /// has no unit.
  package static func nanoseconds(in text: some StringProtocol) -> Double? {
    let digits = text.prefix { $0.isNumber || $0 == "." }
    guard
      let value = Decimals.value(of: digits),
      let unit = units[String(text.dropFirst(digits.count))]
    else { return nil }
    return value * unit
  }
}

/// The unit of the times in a table.
package enum TimeUnit: String, CaseIterable, Sendable {
  /// Nanoseconds.
  case ns
  /// Microseconds.
  case us
  /// Milliseconds.
  case ms

  /// The unit in ns.
  package var nanoseconds: Double { TimeText.units[rawValue] ?? 1 }

  /// The largest unit in which the smallest of `values` is at least 1.
  package static func fitting(_ values: [Double]) -> TimeUnit {
    let least = values.min() ?? 0
    return allCases.last { $0.nanoseconds <= least } ?? .ns
  }

  /// `nanoseconds` to three significant digits in this unit, without the unit.
  package func figures(_ nanoseconds: Double) -> String {
    Decimals.figures(nanoseconds / self.nanoseconds)
  }
}
