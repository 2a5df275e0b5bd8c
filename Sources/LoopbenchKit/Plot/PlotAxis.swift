/// A scale of times or counts, laid along a line of the picture.
struct PlotAxis {
  let low: Double
  let high: Double
  let isLogarithmic: Bool
  /// Where `low` is; above `end` for an axis that goes up.
  let start: Double
  let end: Double

  /// Where `value` is; what is outside is at the nearer end.
  func place(_ value: Double) -> Double {
    let value = min(max(value, low), high)
    let part =
      isLogarithmic
      ? Logarithm.of(value / low) / Logarithm.of(high / low) : (value - low) / (high - low)
    return start + (end - start) * part
  }

  /// Round values, as many as there is room for.
  var ticks: [Double] {
    guard isLogarithmic else { return linearTicks }
    let decades = Logarithm.of(high / low)
    let steps: [Double] = decades > 5 ? [1] : decades > 2.5 ? [1, 3] : [1, 2, 5]
    let first = Logarithm.of(low).rounded(.down)
    let ticks = (0...Int(decades + 1)).flatMap { decade in
      steps.map { $0 * Logarithm.power(first + Double(decade)) }
    }.filter { low <= $0 && $0 <= high }
    return ticks.count >= 3 ? ticks : linearTicks
  }

  private var linearTicks: [Double] {
    let wanted = (high - low) / 5
    let power = Logarithm.power(Logarithm.of(wanted).rounded(.down))
    let step = power * ([1.0, 2, 5].first { $0 * power >= wanted } ?? 10)
    let first = (low / step).rounded(.up)
    return (0...10).map { (first + Double($0)) * step }.filter { $0 <= high * 1.000001 }
  }
}

extension PlotAxis {
  /// The percentiles that are named on an axis of nines up to `nines`.
  static func percentiles(upTo nines: Double) -> [(label: String, nines: Double)] {
    let labels = ["0", "50", "90", "99", "99.9", "99.99", "99.999", "99.9999", "99.99999"]
    let places = [0, 0.30103] + (1...7).map(Double.init)
    return zip(labels, places).filter { $0.1 <= nines + 1e-6 }.map { ($0, $1) }
  }
}
