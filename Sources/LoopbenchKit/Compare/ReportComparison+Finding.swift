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
    /// The median over the base's rounds, in ns; of `missed` the count. `nil`
    /// without a base, or where its rounds have too few samples for the metric.
    public let base: Double?
    /// The same of the new rounds.
    public let new: Double?
    /// The peer whose ratio to it is judged, for the limit of an increase; `nil`
    /// where the peer's own times are.
    public let reference: String?
    /// New over base, of what is judged; `nil` where there is no base, or it is 0.
    public let ratio: Double?
    /// The 95 % interval of what the rule limits: the ratio, or the new median.
    public let interval: Interval?
    /// Ratios within it are noise: both runs' A/A twins. `nil` without a twin.
    public let noise: Interval?
    /// What can be said.
    public internal(set) var verdict: Verdict
    /// Why it is inconclusive, when that is not for its interval.
    public internal(set) var reason: String?
    /// What fresh processes said in which it was measured again, because it looked
    /// slower: the same as `new`. Absent where none was asked.
    public internal(set) var again: [Double]?
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
    let (before, now) = (pair.base.map { Double($0.missed) }, Double(pair.new.missed))
    (base, new) = (before, now)
    ratio = before.flatMap { $0 > 0 ? (now / $0).roundedToMillionths : nil }
    (reference, interval, noise, reason) = (nil, nil, nil, nil)
    verdict = pair.new.missed > limit ? .regressed : .unchanged
  }

  /// `nil` when a round has too few samples for the percentile, unless the rule
  /// asks for just that one.
  private init?(_ rule: FailRule, at percentile: Percentile, _ pair: ReportComparison.Pair) {
    let (before, now) = (pair.baseRounds(at: percentile), pair.newRounds(at: percentile))
    let isResolved = !now.values.isEmpty && before?.values.isEmpty != true
    guard isResolved || (rule.metric != .any && !FailRule.standard.contains(rule)) else {
      return nil
    }
    (scenario, series, peer) = (pair.new.scenario, pair.new.series, pair.new.peer)
    metric = percentile.title
    self.rule = rule.description
    base = before.flatMap { Spread(of: $0.values)?.median }
    new = Spread(of: now.values)?.median
    noise = pair.noise[percentile.label]?.rounded
    guard isResolved else {
      (reference, ratio, interval, verdict) = (nil, nil, nil, .inconclusive)
      reason = "a round has too few samples to tell \(percentile.title) from the largest"
      return
    }
    let judgement = Judgement(rule.limit, base: before, new: now, pair, noise: noise)
    reference = rule.needsBase ? pair.reference?.new.peer : nil
    ratio = Self.ratio(before, now, isJudged: rule.needsBase)
    (interval, verdict, reason) = (judgement.interval, judgement.verdict, judgement.reason)
  }

  private static func ratio(
    _ base: ReportComparison.Pair.Rounds?,
    _ new: ReportComparison.Pair.Rounds,
    isJudged: Bool
  ) -> Double? {
    let sides = isJudged ? (base?.judged, new.judged) : (base?.values, new.values)
    guard let before = sides.0.flatMap({ Spread(of: $0)?.median }), before > 0 else { return nil }
    return Spread(of: sides.1).map { ($0.median / before).roundedToMillionths }
  }
}
