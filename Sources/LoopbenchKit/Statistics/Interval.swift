import LoopTransactions
import LoopTransactionsTesting

/// A closed interval of numbers, such as a confidence interval.
package struct Interval: Codable, Equatable, Sendable {
  /// The lower end.
  package let low: Double
  /// The upper end.
  package let high: Double

  /// Makes an interval.
  ///
  /// - Precondition: `low` is not above `high`.
  package init(low: Double, high: Double) {
    require(low <= high, "Interval: low must not be above high, got \(low), \(high)")
    self.low = low
    self.high = high
  }

  /// Returns whether this interval contains all of `other`.
  package func contains(_ other: Interval) -> Bool {
    low <= other.low && other.high <= high
  }

  /// The smallest interval that contains 1, both ends of this interval and their
  /// inverses.
  ///
  /// Use it for the ratio of two measurements of the same work, because a ratio of
  /// 1.04 is as likely as 1 / 1.04.
  package var mirrored: Interval {
    let ends = [low, high, low > 0 ? 1 / low : 1, high > 0 ? 1 / high : 1, 1]
    return Interval(low: ends.min() ?? 1, high: ends.max() ?? 1)
  }

  /// Returns the smallest interval that contains this interval and `other`.
  package func union(_ other: Interval) -> Interval {
    Interval(low: Swift.min(low, other.low), high: Swift.max(high, other.high))
  }

  /// The interval with both ends rounded to six decimal places, for files.
  package var rounded: Interval {
    Interval(low: low.roundedToMillionths, high: high.roundedToMillionths)
  }
}

extension Double {
  package var roundedToMillionths: Double {
    (self * 1_000_000).rounded() / 1_000_000
  }
}

/// The median and the range of a list of values.
package struct Spread: Codable, Equatable, Sendable {
  /// The middle value, or the mean of the two middle values.
  package let median: Double
  /// The smallest value.
  package let low: Double
  /// The largest value.
  package let high: Double

  /// Computes the spread. Returns `nil` if there are no values.
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

/// Bootstrap confidence intervals of medians, by resampling the rounds.
///
/// The seed is fixed, so equal values produce equal intervals on every machine.
package enum Bootstrap {
  /// The smallest number of rounds for which the range of the values is a 95 %
  /// confidence interval of the median. The confidence for n rounds is 1 - 2 ^ (1 -
  /// n), which is 0.97 for 6 rounds and 0.94 for 5 rounds.
  package static let leastRounds = 6

  static let resamples = 2000

  /// Says that `rounds` are too few: `only 1 round, 6 are needed`.
  package static func shortage(of rounds: Int) -> String {
    "only \(rounds) round\(rounds == 1 ? "" : "s"), \(leastRounds) are needed"
  }

  /// Returns the 95 % percentile interval of the median of `values`; `nil` if there
  /// are no values.
  package static func median(of values: [Double]) -> Interval? {
    guard !values.isEmpty else { return nil }
    var generator = SeededGenerator(seed: 1, stream: 0)
    var sample = Resample(of: values)
    return interval(of: (0..<resamples).map { _ in sample.median(using: &generator) })
  }

  /// Returns the 95 % percentile interval of the median of `values` divided by the
  /// median of `base`. `values` and `base` come from separate measurements.
  ///
  /// - Returns: `nil` if `values` or `base` is empty, or if `base` contains a value
  ///   that is not positive.
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

  /// Returns the middle 95 % of the values of all resamples.
  static func interval(of values: [Double]) -> Interval {
    let sorted = values.sorted()
    let cut = sorted.count / 40
    return Interval(low: sorted[cut], high: sorted[sorted.count - 1 - cut])
  }
}

/// Draws n of n values, with replacement.
///
/// The values are sorted once. Counting the draws of each value then gives the
/// median without further sorting.
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
