import LoopTransactionsTesting

/// The samples of several rounds, for percentiles that a single round cannot resolve.
struct PooledRounds {
  /// The occupied buckets of all rounds, from the largest value to the smallest.
  private let buckets: [(value: Double, round: Int, count: UInt64)]
  private let counts: [UInt64]

  init(_ rounds: [SparseHistogram]) {
    counts = rounds.map(\.count)
    buckets = rounds.enumerated().flatMap { round, histogram in
      histogram.values.map { (value: $0.value, round: round, count: $0.count) }
    }.sorted { $0.value > $1.value }
  }

  /// The number of rounds.
  var rounds: Int { counts.count }

  /// Returns the value in ns of `percentile` if each round counts as often as `draws`
  /// says. Nil if there are too few samples to distinguish it from the largest one.
  func value(at percentile: Percentile, draws: [Int]) -> Double? {
    let total = zip(counts, draws).reduce(0) { $0 + $1.0 * UInt64($1.1) }
    guard percentile.isResolved(by: total) else { return nil }
    // Few samples lie above a high percentile, so the search starts at the largest.
    var above = total - percentile.rank(in: total)
    for bucket in buckets {
      let drawn = bucket.count * UInt64(draws[bucket.round])
      if drawn > above { return bucket.value }
      above -= drawn
    }
    return nil
  }
}

extension Bootstrap {
  /// Returns the ratio of two pooled percentiles, and its 95 % interval. Each resample
  /// draws the same rounds for both.
  ///
  /// - Precondition: `rounds` and `base` have the same number of rounds.
  /// - Returns: `nil` if a percentile is not resolved, or if `base` has one of 0.
  static func ratio(
    of rounds: PooledRounds,
    to base: PooledRounds,
    at percentile: Percentile
  ) -> (value: Double, interval: Interval)? {
    func ratio(_ draws: [Int]) -> Double? {
      guard let above = rounds.value(at: percentile, draws: draws),
        let below = base.value(at: percentile, draws: draws), below > 0
      else { return nil }
      return above / below
    }
    guard let value = ratio([Int](repeating: 1, count: base.rounds)) else { return nil }
    var generator = SeededGenerator(seed: 3, stream: 0)
    // A resample of short rounds may not resolve the percentile.
    let ratios = (0..<resamples).compactMap { _ in
      ratio(draws(of: base.rounds, using: &generator))
    }
    guard ratios.count > resamples / 2 else { return nil }
    return (value, interval(of: ratios))
  }

  /// Draws `count` of `count` rounds with replacement. Returns how often each is drawn.
  private static func draws(of count: Int, using generator: inout SeededGenerator) -> [Int] {
    var draws = [Int](repeating: 0, count: count)
    for _ in 0..<count { draws[Int(generator.number(below: UInt64(count)))] += 1 }
    return draws
  }
}
