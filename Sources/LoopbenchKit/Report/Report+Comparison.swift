extension Report {
  /// One percentile of one peer against that of a reference.
  ///
  /// Each round gives one ratio and one difference; what moved from round to
  /// round moved for both and cancels out.
  package struct Comparison: Codable, Equatable, Sendable {
    /// The scenario's name.
    package let scenario: String
    /// The series' name.
    package let series: String
    /// The peer's name.
    package let peer: String
    /// The peer it is compared with.
    package let reference: String
    /// Keyed as in a result: `"50"`.
    package let percentile: String
    /// How many rounds had both.
    package let rounds: Int
    /// Over the rounds: the peer's value over the reference's.
    package let ratio: Spread
    /// Over the rounds: the peer's value less the reference's, in ns.
    package let difference: Spread
    /// The 95 % interval of the median ratio, by bootstrap over the rounds.
    package let interval: Interval
    /// What can be said: only a ratio whose interval lies past that of the A/A
    /// twin is faster or slower.
    package let verdict: ComparisonVerdict
  }

  /// The percentiles that are compared.
  package static let comparedPercentiles: [Percentile] = [.p50, .p99]
}

extension Report.Comparison {
  /// `nil` when no round has both.
  init?(
    _ result: Report.Result,
    with reference: Report.Result,
    at percentile: Percentile,
    _ noise: Interval?,
    dropping: Bool
  ) {
    let pairs = RoundPairs(result, with: reference, at: percentile, dropping: dropping)
    guard
      let ratio = Spread(of: pairs.ratios),
      let difference = Spread(of: pairs.differences),
      let interval = Bootstrap.median(of: pairs.ratios)?.rounded
    else { return nil }
    scenario = result.scenario
    series = result.series
    peer = result.peer
    self.reference = reference.peer
    self.percentile = percentile.label
    rounds = pairs.ratios.count
    self.ratio = ratio
    self.difference = difference
    self.interval = interval
    verdict = ComparisonVerdict(interval, rounds: rounds, noise: noise)
  }
}

extension Report {
  /// What measuring one peer twice in the same rounds gave: a smaller difference
  /// between two peers, or two runs, is noise.
  package struct Noise: Codable, Equatable, Sendable {
    /// The scenario's name.
    package let scenario: String
    /// The series' name.
    package let series: String
    /// The peer that was measured twice.
    package let peer: String
    /// Keyed as in a result: `"50"`.
    package let percentile: String
    /// How many rounds had both.
    package let rounds: Int
    /// The 95 % interval of the median, over rounds, of the second measurement
    /// over the first.
    package let interval: Interval
  }
}

extension Report.Noise {
  /// `nil` when no round has both.
  init?(
    _ twin: Report.Result,
    of original: Report.Result,
    at percentile: Percentile,
    dropping: Bool
  ) {
    let pairs = RoundPairs(twin, with: original, at: percentile, dropping: dropping)
    guard let interval = Bootstrap.median(of: pairs.ratios) else { return nil }
    scenario = original.scenario
    series = original.series
    peer = original.peer
    self.percentile = percentile.label
    rounds = pairs.ratios.count
    self.interval = interval.rounded
  }
}

extension Report {
  /// The noise floor of a percentile; `nil` where nothing was measured twice.
  package func noise(scenario: String, series: String, percentile: String) -> Noise? {
    noise.first { ($0.scenario, $0.series, $0.percentile) == (scenario, series, percentile) }
  }

  static func noise(of results: [Result], dropping: Bool) -> [Noise] {
    results.filter(\.isTwin).flatMap { twin in
      let original = results.first {
        ($0.scenario, $0.series, $0.peer + Contender.twinSuffix)
          == (twin.scenario, twin.series, twin.peer)
      }
      return Percentile.standard.compactMap { percentile in
        original.flatMap { Noise(twin, of: $0, at: percentile, dropping: dropping) }
      }
    }
  }
}

/// The rounds that two peers have both, with their values at one percentile.
struct RoundPairs {
  /// The peer's value over the other's, round by round.
  let ratios: [Double]
  /// The peer's value less the other's, in ns.
  let differences: [Double]

  /// - Parameter dropping: Whether a round counts in which either was disturbed.
  init(
    _ result: Report.Result,
    with other: Report.Result,
    at percentile: Percentile,
    dropping: Bool
  ) {
    let values = result.values(at: percentile, dropping: dropping)
    let base = Dictionary(
      other.values(at: percentile, dropping: dropping).map { ($0.round, $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
    let pairs = values.compactMap { round, value in
      base[round].flatMap { $0 > 0 ? (value: value, base: $0) : nil }
    }
    ratios = pairs.map { ($0.value / $0.base).roundedToMillionths }
    differences = pairs.map { ($0.value - $0.base).roundedToPicoseconds }
  }
}

extension Report.Result {
  /// The value of `percentile` in each round whose samples resolve it.
  package func values(
    at percentile: Percentile,
    dropping: Bool
  ) -> [(round: Int, value: Double)] {
    known.perRound.filter {
      !(dropping && $0.isDisturbed) && percentile.isResolved(by: $0.count)
    }.compactMap { round in
      round.percentiles[percentile.label].map { (round.round, $0) }
    }
  }
}

/// What can be said of a peer next to a reference.
package enum ComparisonVerdict: String, Codable, CaseIterable, Sendable {
  /// Faster, by more than measuring the same thing twice differs.
  case faster
  /// Not further apart than noise, or than 5 %.
  case same
  /// Slower, by more than measuring the same thing twice differs.
  case slower
  /// Not known: too few rounds, too wide an interval, or no noise floor.
  case inconclusive

  // Guess: below this, peers are called the same even on a quiet machine.
  private static let indifference = Interval(low: 1 / 1.05, high: 1.05)

  /// The verdict on a ratio whose 95 % interval is `interval`.
  ///
  /// - Parameter noise: The interval of the same ratio for one thing measured
  ///   twice; without it nothing can be said.
  package init(_ interval: Interval, rounds: Int, noise: Interval?) {
    guard rounds >= Bootstrap.leastRounds, let floor = noise?.mirrored else {
      self = .inconclusive
      return
    }
    if interval.high < floor.low {
      self = .faster
    } else if interval.low > floor.high {
      self = .slower
    } else {
      self = floor.union(Self.indifference).contains(interval) ? .same : .inconclusive
    }
  }
}

extension Report.Noise {
  /// What a verdict column says of a twin.
  var text: String {
    let side = max(abs(interval.low - 1), abs(interval.high - 1)) * 100
    return "noise floor ±\(Decimals.text(side, digits: side < 10 ? 1 : 0)) %"
  }
}
