import LoopTransactionsTesting

/// From where to where a figure is believed to lie.
package struct Interval: Codable, Equatable, Sendable {
  /// The lower end.
  package let low: Double
  /// The upper end.
  package let high: Double

  /// Makes an interval.
  ///
  /// - Precondition: `low` is not above `high`.
  package init(low: Double, high: Double) {
    precondition(low <= high, "Interval: low must not be above high, got \(low), \(high)")
    self.low = low
    self.high = high
  }

  /// Whether `other` lies wholly in it, ends included.
  package func contains(_ other: Interval) -> Bool {
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

/// The median of some values, and their range.
package struct Spread: Codable, Equatable, Sendable {
  /// The middle value; of two middle values, their mean.
  package let median: Double
  /// The smallest value.
  package let low: Double
  /// The largest value.
  package let high: Double

  /// `nil` when there are no values.
  package init?(of values: [Double]) {
    let sorted = values.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    let middle = sorted.count / 2
    let isOdd = sorted.count % 2 == 1
    median = isOdd ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    low = first
    high = last
  }
}

/// How far a median could have been another one, by drawing the rounds again and
/// again out of those there were.
///
/// The seed is fixed: the same values give the same interval everywhere.
package enum Bootstrap {
  /// With fewer rounds than this even their whole range is no 95 % interval of
  /// the median: 1 - 2 ^ (1 - 6) is 0.97, 1 - 2 ^ (1 - 5) is 0.94.
  package static let leastRounds = 6

  private static let resamples = 2000

  /// The 95 % percentile interval of the median of `values`; `nil` when empty.
  package static func median(of values: [Double]) -> Interval? {
    guard !values.isEmpty else { return nil }
    var generator = SeededGenerator(seed: 1, stream: 0)
    var sample = Resample(of: values)
    return interval(of: (0..<resamples).map { _ in sample.median(using: &generator) })
  }

  /// The 95 % percentile interval of the median of `values` over that of `base`,
  /// which were not measured together. `nil` when either is empty, or when a
  /// median of `base` is 0.
  package static func ratio(of values: [Double], to base: [Double]) -> Interval? {
    guard !values.isEmpty, !base.isEmpty, base.allSatisfy({ $0 > 0 }) else { return nil }
    var generator = SeededGenerator(seed: 2, stream: 0)
    var (above, below) = (Resample(of: values), Resample(of: base))
    return interval(
      of: (0..<resamples).map { _ in
        above.median(using: &generator) / below.median(using: &generator)
      }
    )
  }

  private static func interval(of medians: [Double]) -> Interval {
    let sorted = medians.sorted()
    let cut = resamples / 40
    return Interval(low: sorted[cut], high: sorted[resamples - 1 - cut])
  }
}

/// Draws as many values as there are, with repetition. It counts how often each
/// was drawn: sorted once, a median needs no further sorting.
private struct Resample {
  private let sorted: [Double]
  private var draws: [Int]

  init(of values: [Double]) {
    sorted = values.sorted()
    draws = [Int](repeating: 0, count: values.count)
  }

  mutating func median(using generator: inout SeededGenerator) -> Double {
    for index in draws.indices { draws[index] = 0 }
    for _ in draws.indices { draws[Int(generator.number(below: UInt64(draws.count)))] += 1 }
    let middle = draws.count / 2
    let upper = value(at: middle)
    return draws.count % 2 == 1 ? upper : (value(at: middle - 1) + upper) / 2
  }

  private func value(at rank: Int) -> Double {
    var seen = 0
    for (index, count) in draws.enumerated() {
      seen += count
      if seen > rank { return sorted[index] }
    }
    return sorted[sorted.count - 1]
  }
}
