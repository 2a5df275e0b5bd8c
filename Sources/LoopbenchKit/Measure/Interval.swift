/// From where to where a figure is believed to lie.
public struct Interval: Codable, Equatable, Sendable {
  /// The lower end.
  public let low: Double
  /// The upper end.
  public let high: Double

  /// Makes an interval.
  ///
  /// - Precondition: `low` is not above `high`.
  public init(low: Double, high: Double) {
    precondition(low <= high, "Interval: low must not be above high, got \(low), \(high)")
    self.low = low
    self.high = high
  }

  /// Whether `other` lies wholly in it, ends included.
  public func contains(_ other: Interval) -> Bool {
    low <= other.low && other.high <= high
  }

  /// The smallest interval of ratios that holds it, 1, and the inverse of each: if
  /// measuring one thing twice gave 1.04, it could as well have given 1 / 1.04.
  package var mirrored: Interval {
    let ends = [low, high, low > 0 ? 1 / low : 1, high > 0 ? 1 / high : 1, 1]
    return Interval(low: ends.min() ?? 1, high: ends.max() ?? 1)
  }

  /// The smallest interval that holds both.
  package func union(_ other: Interval) -> Interval {
    Interval(low: Swift.min(low, other.low), high: Swift.max(high, other.high))
  }

  /// To six digits: what is beyond them is noise in a file.
  package var rounded: Interval {
    Interval(low: low.roundedToMillionths, high: high.roundedToMillionths)
  }
}

extension Double {
  package var roundedToMillionths: Double {
    (self * 1_000_000).rounded() / 1_000_000
  }
}
