extension Report {
  /// One percentile of one peer against that of a reference.
  ///
  /// Each round gives one ratio and one difference; what moved from round to
  /// round moved for both and cancels out.
  public struct Comparison: Codable, Equatable, Sendable {
    /// The scenario's name.
    public let scenario: String
    /// The series' name.
    public let series: String
    /// The peer's name.
    public let peer: String
    /// The peer it is compared with.
    public let reference: String
    /// Keyed as in a result: `"50"`.
    public let percentile: String
    /// How many rounds had both.
    public let rounds: Int
    /// Over the rounds: the peer's value over the reference's.
    public let ratio: Spread
    /// Over the rounds: the peer's value less the reference's, in ns.
    public let difference: Spread
    /// The 95 % interval of the median ratio, by bootstrap over the rounds.
    public let interval: Interval
    /// What can be said: only a ratio whose interval lies past that of the A/A
    /// twin is faster or slower.
    public let verdict: ComparisonVerdict
  }

  /// The percentiles that are compared.
  package static let compared: [Percentile] = [.p50, .p99]
}

extension Report.Comparison {
  /// `nil` when no round has both.
  init?(
    _ result: Report.Result,
    with reference: Report.Result,
    at percentile: Percentile,
    noise: Interval?,
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
