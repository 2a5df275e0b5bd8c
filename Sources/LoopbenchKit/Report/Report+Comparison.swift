extension Report {
  /// The comparison of a peer with a reference at one percentile.
  ///
  /// Ratio and difference are computed within each round, so that drift between
  /// rounds cancels out.
  package struct Comparison: Codable, Equatable, Sendable {
    /// The scenario's name.
    package let scenario: String
    /// The series' name.
    package let series: String
    /// The peer's name.
    package let peer: String
    /// The name of the reference, with which the peer is compared.
    package let reference: String
    /// The percentile's key, as in a result: `"50"`.
    package let percentile: String
    /// The number of rounds that measured both.
    package let rounds: Int
    /// The peer's value divided by the reference's value: the median and the range
    /// over the rounds.
    package let ratio: Spread
    /// The peer's value minus the reference's value, in ns: the median and the
    /// range over the rounds.
    package let difference: Spread
    /// The 95 % interval of the median ratio, computed by bootstrapping over the
    /// rounds.
    package let interval: Interval
    /// The verdict. The peer counts as faster or slower only if the whole interval is
    /// outside the A/A twin's interval.
    package let verdict: ComparisonVerdict
  }

  /// The percentiles that a report compares.
  package static let comparedPercentiles: [Percentile] = [.p50, .p99]
}

extension Report.Comparison {
  /// Returns nil if no round measured both.
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
  /// The difference between a peer and its twin in the same rounds. Any smaller
  /// difference between two peers or two runs is noise.
  package struct Noise: Codable, Equatable, Sendable {
    /// The scenario's name.
    package let scenario: String
    /// The series' name.
    package let series: String
    /// The peer that was measured twice.
    package let peer: String
    /// The percentile's key, as in a result: `"50"`.
    package let percentile: String
    /// The number of rounds that measured both.
    package let rounds: Int
    /// The 95 % interval of the median ratio of the twin to its original.
    package let interval: Interval
  }
}

extension Report.Noise {
  /// Returns nil if no round measured both.
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

/// The values of two peers at one percentile, in the rounds that measured both.
struct RoundPairs {
  /// The peer's value divided by the other peer's value, for each round.
  let ratios: [Double]
  /// The peer's value minus the other peer's value, in ns, for each round.
  let differences: [Double]

  /// - Parameter dropping: Whether to leave out rounds in which either peer was
  ///   disturbed.
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

/// How a peer compares with a reference.
package enum ComparisonVerdict: String, Codable, CaseIterable, Sendable {
  /// Faster by more than the noise.
  case faster
  /// The difference is within the noise, or within 5 %.
  case same
  /// Slower by more than the noise.
  case slower
  /// There are too few rounds, the interval is too wide, or there is no noise floor.
  case inconclusive

  // 5 %: peers that differ by less count as equally fast, even if there is no
  // noise. Not measured.
  static let indifference = Interval(low: 1 / 1.05, high: 1.05)

  /// The verdict on a ratio whose 95 % interval is `interval`.
  ///
  /// - Parameter noise: The interval of the same ratio between a peer and its twin.
  ///   If nil, the verdict is inconclusive.
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

extension Report.Comparison {
  /// The reason for a verdict that the ratio does not explain. Nil if it does.
  func reason(_ noise: Report.Noise?) -> String? {
    let middle = Interval(low: ratio.median, high: ratio.median)
    switch verdict {
    case .faster, .slower: return nil
    case .same where ComparisonVerdict.indifference.contains(middle): return nil
    case .same: return noise.map { "within the noise floor of \($0.percent)" }
    case .inconclusive: break
    }
    guard rounds >= Bootstrap.leastRounds else { return Bootstrap.shortage(of: rounds) }
    guard let noise else { return "no peer was measured twice, so the noise is unknown" }
    let ends = [interval.low, interval.high].map { Decimals.figures($0) + "x" }
    return "\(ends[0]) to \(ends[1]), with a noise floor of \(noise.percent)"
  }
}

extension Report.Noise {
  /// The text in a twin's verdict column.
  var text: String { "noise floor ±\(percent)" }

  /// The larger side of the interval: `15 %`.
  var percent: String {
    let side = max(abs(interval.low - 1), abs(interval.high - 1)) * 100
    return Decimals.text(side, digits: side < 10 ? 1 : 0) + " %"
  }
}
