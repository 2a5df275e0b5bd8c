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
    package private(set) var verdict: ComparisonVerdict
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
    _ noise: Interval?
  ) {
    let pairs = RoundPairs(result, with: reference, at: percentile)
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
    verdict = ComparisonVerdict(
      interval,
      ratio: ratio.median,
      rounds: rounds,
      noise: noise
    )
  }
}

extension Report.Comparison {
  /// The comparison of a floor.
  var unjudged: Self {
    var comparison = self
    comparison.verdict = .floor
    return comparison
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
    at percentile: Percentile
  ) {
    let pairs = RoundPairs(twin, with: original, at: percentile)
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
  static func noise(of results: [Result]) -> [Noise] {
    results.filter(\.isTwin).flatMap { twin in
      let original = results.first {
        ($0.scenario, $0.series, $0.peer + Contender.twinSuffix)
          == (twin.scenario, twin.series, twin.peer)
      }
      return Percentile.standard.compactMap { percentile in
        original.flatMap { Noise(twin, of: $0, at: percentile) }
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

  init(_ result: Report.Result, with other: Report.Result, at percentile: Percentile) {
    let values = result.values(at: percentile)
    let base = Dictionary(
      other.values(at: percentile).map { ($0.round, $0.value) },
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
  package func values(at percentile: Percentile) -> [(round: Int, value: Double)] {
    known.perRound.filter { percentile.isResolved(by: $0.count) }.compactMap { round in
      round.percentiles[percentile.label].map { (round.round, $0) }
    }
  }
}

/// How a peer compares with a reference.
package enum ComparisonVerdict: String, Codable, CaseIterable, Sendable {
  /// Faster by more than the noise, and by more than 5 %.
  case faster
  /// The median ratio is within 5 %, or the whole interval is within the noise or 10 %.
  case same
  /// Slower by more than the noise, and by more than 5 %.
  case slower
  /// There are too few rounds, the interval is too wide, or there is no noise floor.
  case inconclusive
  /// The peer does the work with as little as possible around it, and is not judged.
  case floor

  // 5 %: peers that differ by less count as equally fast, even if there is no
  // noise. Not measured.
  static let indifference = Interval(low: 1 / 1.05, high: 1.05)
  // 10 %: an interval that excludes a larger difference is an answer. Not measured.
  static let closeness = Interval(low: 0.9, high: 1.1)

  /// The verdict on a ratio whose median is `ratio` and whose 95 % interval is
  /// `interval`.
  ///
  /// - Parameter noise: The interval of the same ratio between a peer and its twin.
  ///   If nil, the verdict is inconclusive.
  package init(_ interval: Interval, ratio: Double, rounds: Int, noise: Interval?) {
    guard rounds >= Bootstrap.leastRounds, let floor = noise?.mirrored else {
      self = .inconclusive
      return
    }
    let isNotable = ratio <= Self.indifference.low || ratio >= Self.indifference.high
    if interval.high < floor.low {
      self = isNotable ? .faster : .same
    } else if interval.low > floor.high {
      self = isNotable ? .slower : .same
    } else {
      let isSame =
        floor.union(Self.indifference).contains(interval) || Self.closeness.contains(interval)
      self = isSame ? .same : .inconclusive
    }
  }
}

extension Report.Comparison {
  /// The reason for a verdict that the ratio does not explain. Nil if it does.
  ///
  /// - Parameters:
  ///   - libuv: Whether to call the reference `libuv`, and not by its name.
  ///   - showsInterval: Whether the reason contains the interval.
  func reason(
    _ noise: Report.Noise?,
    libuv: Bool = false,
    showsInterval: Bool = true
  ) -> String? {
    let middle = Interval(low: ratio.median, high: ratio.median)
    let isClose = ComparisonVerdict.closeness.contains(interval)
    switch verdict {
    case .faster, .slower, .floor: return nil
    case .same where ComparisonVerdict.indifference.contains(isClose ? interval : middle):
      return nil
    case .same where isClose: return "within \(interval.percent)"
    case .same: return noise.map { "within the noise floor of \($0.percent)" }
    case .inconclusive: break
    }
    guard rounds >= Bootstrap.leastRounds else { return Bootstrap.shortage(of: rounds) }
    guard let noise else { return "no peer was measured twice, so the noise is unknown" }
    let ends = [interval.low, interval.high].map { Decimals.figures($0) + "x" }
    let (name, twin) = libuv ? ("libuv", "libuv") : (reference, noise.peer)
    let range = showsInterval ? "\(ends[0]) to \(ends[1]) of \(name)'s time; " : ""
    return range + "\(twin) against itself differs by \(noise.percent)"
  }
}

extension Report.Noise {
  /// The text in a twin's verdict column.
  var text: String { "noise floor ±\(percent)" }

  /// The larger side of the interval: `15 %`.
  var percent: String { interval.percent }
}

extension Interval {
  /// The larger distance from 1 to an end: `15 %`.
  fileprivate var percent: String {
    let side = max(abs(low - 1), abs(high - 1)) * 100
    return Decimals.text(side, digits: side < 9.95 ? 1 : 0) + " %"
  }
}
