extension ReportComparison {
  /// What one rule says of one figure.
  public struct Finding: Codable, Equatable, Sendable {
    /// The scenario's name.
    public let scenario: String
    /// The series' name.
    public let series: String
    /// The peer's name.
    public let peer: String
    /// `p50`, `max`, `missed`.
    public let metric: String
    /// The rule, as it was written.
    public let rule: String
    /// The median over the base's rounds, in ns; of `missed` the count.
    public let base: Double
    /// The median over the new rounds, in ns; of `missed` the count.
    public let new: Double
    /// New over base; `nil` where the base is 0.
    public let ratio: Double?
    /// The 95 % interval of what the rule limits: the ratio, or the new median.
    public let interval: Interval?
    /// Ratios within it are noise: both runs' A/A twins. `nil` without a twin.
    public let noise: Interval?
    /// What can be said.
    public let verdict: Verdict
    /// Why it is inconclusive, when that is not for its interval.
    public let reason: String?
  }
}

extension ReportComparison.Finding {
  package static func all(
    of rule: FailRule,
    about pair: ReportComparison.Pair
  ) -> [ReportComparison.Finding] {
    if case .count(let limit) = rule.limit { return [.init(rule, missed: limit, pair)] }
    return rule.percentiles.compactMap { .init(rule, at: $0, pair) }
  }

  private init(_ rule: FailRule, missed limit: UInt64, _ pair: ReportComparison.Pair) {
    (scenario, series, peer) = (pair.new.scenario, pair.new.series, pair.new.peer)
    metric = "missed"
    self.rule = rule.description
    (base, new) = (Double(pair.base.missed), Double(pair.new.missed))
    ratio = pair.base.missed > 0 ? (new / base).roundedToMillionths : nil
    (interval, noise, reason) = (nil, nil, nil)
    verdict = pair.new.missed > limit ? .regressed : .unchanged
  }

  /// `nil` when either has no such percentile.
  private init?(_ rule: FailRule, at percentile: Percentile, _ pair: ReportComparison.Pair) {
    let base = pair.base.values(at: percentile, dropping: pair.baseDrops).map(\.value)
    let new = pair.new.values(at: percentile, dropping: pair.newDrops).map(\.value)
    guard let baseMedian = Spread(of: base)?.median, let newMedian = Spread(of: new)?.median
    else { return nil }
    (scenario, series, peer) = (pair.new.scenario, pair.new.series, pair.new.peer)
    metric = percentile.title
    self.rule = rule.description
    (self.base, self.new) = (baseMedian, newMedian)
    ratio = baseMedian > 0 ? (newMedian / baseMedian).roundedToMillionths : nil
    noise = pair.noise[percentile.label]?.rounded
    let judgement = Judgement(rule.limit, base: base, new: new, noise: noise)
    (interval, verdict, reason) = (judgement.interval, judgement.verdict, judgement.reason)
  }

  /// What a limit says of the values of rounds.
  private struct Judgement {
    var interval: Interval?
    var verdict = Verdict.inconclusive
    var reason: String?

    init(_ limit: FailRule.Limit, base: [Double], new: [Double], noise: Interval?) {
      switch limit {
      case .increase(let threshold):
        interval = Bootstrap.ratio(of: new, to: base)?.rounded
        reason = Self.reason(rounds: min(base.count, new.count), interval, noise)
        guard reason == nil, let interval, let noise else { return }
        verdict = Verdict(interval, threshold: threshold, floor: noise)
      case .time(let limit):
        interval = Bootstrap.median(of: new)
        reason = Self.reason(rounds: new.count)
        guard reason == nil, let interval else { return }
        verdict = Verdict(interval, limit: limit)
      case .count: preconditionFailure("Finding: a count limits no percentile")
      }
    }

    private static func reason(rounds: Int) -> String? {
      rounds >= Bootstrap.leastRounds
        ? nil : "\(rounds) rounds are too few, \(Bootstrap.leastRounds) are needed"
    }

    private static func reason(rounds: Int, _ interval: Interval?, _ noise: Interval?) -> String? {
      if let reason = reason(rounds: rounds) { return reason }
      guard interval != nil else { return "the base is 0" }
      return noise == nil ? "neither run measured a peer twice (A/A)" : nil
    }
  }
}
