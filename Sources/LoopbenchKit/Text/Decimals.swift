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

/// The unit a table shows its times in.
package enum TimeUnit: String, CaseIterable, Sendable {
  /// Nanoseconds.
  case ns
  /// Microseconds.
  case us
  /// Milliseconds.
  case ms

  /// In ns.
  package var nanoseconds: Double {
    switch self {
    case .ns: 1
    case .us: 1000
    case .ms: 1_000_000
    }
  }

  /// The largest unit in which the smallest of `values` is not below 1.
  package static func fitting(_ values: [Double]) -> TimeUnit {
    let least = values.min() ?? 0
    return allCases.last { $0.nanoseconds <= least } ?? .ns
  }
}
