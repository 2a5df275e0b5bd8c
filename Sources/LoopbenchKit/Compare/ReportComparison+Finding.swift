extension ReportComparison {
  /// What one rule says of one figure.
  package struct Finding: Codable, Equatable, Sendable {
    /// The scenario's name.
    package let scenario: String
    /// The series' name.
    package let series: String
    /// The peer's name.
    package let peer: String
    /// `p50`, `max`, `missed`.
    package let metric: String
    /// The rule, as it was written.
    package let rule: String
    /// The median over the base's rounds, in ns; of `missed` the count. `nil`
    /// without a base, or where its rounds have too few samples for the metric.
    package let base: Double?
    /// The same of the new rounds.
    package let new: Double?
    /// The peer whose ratio to it is judged, for the limit of an increase; `nil`
    /// where the peer's own times are.
    package let reference: String?
    /// New over base, of what is judged; `nil` where there is no base, or it is 0.
    package let ratio: Double?
    /// The 95 % interval of what the rule limits: the ratio, or the new median.
    package let interval: Interval?
    /// Ratios within it are noise: both runs' A/A twins. `nil` without a twin.
    package let noise: Interval?
    /// What can be said.
    package internal(set) var verdict: Verdict
    /// Why it is inconclusive, when that is not for its interval.
    package internal(set) var reason: String?
    /// What fresh processes said in which it was measured again, because it looked
    /// slower: the same as `new`. Absent where none was asked.
    package internal(set) var again: [Double]?
  }
}

extension ReportComparison.Finding {
  static func all(of rule: FailRule, about pair: ReportComparison.Pair) -> [Self] {
    if case .count(let limit) = rule.limit { return [.init(rule, missed: limit, pair)] }
    return rule.percentiles.compactMap { .init(rule, at: $0, pair) }
  }

  private init(_ rule: FailRule, missed limit: UInt64, _ pair: ReportComparison.Pair) {
    let result = pair.new.result
    (scenario, series, peer) = (result.scenario, result.series, result.peer)
    metric = "missed"
    self.rule = rule.description
    let (before, now) = (pair.base.map { Double($0.result.missed) }, Double(result.missed))
    (base, new) = (before, now)
    ratio = before.flatMap { $0 > 0 ? (now / $0).roundedToMillionths : nil }
    (reference, interval, noise, reason) = (nil, nil, nil, nil)
    verdict = result.missed > limit ? .regressed : .unchanged
  }

  /// `nil` when a round has too few samples for the percentile, unless the rule
  /// asks for just that one.
  private init?(_ rule: FailRule, at percentile: Percentile, _ pair: ReportComparison.Pair) {
    let (before, now) = (pair.base?.rounds(at: percentile), pair.new.rounds(at: percentile))
    let isResolved = !now.values.isEmpty && before?.values.isEmpty != true
    guard isResolved || (rule.metric != .any && !FailRule.standard.contains(rule)) else {
      return nil
    }
    let result = pair.new.result
    (scenario, series, peer) = (result.scenario, result.series, result.peer)
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
    let beside = pair.new.reference?.peer
    let judgement = Judgement(rule.limit, base: before, new: now, beside, noise: noise)
    reference = rule.needsBase ? beside : nil
    ratio = Self.ratio(before, now, isJudged: rule.needsBase)
    (interval, verdict, reason) = (judgement.interval, judgement.verdict, judgement.reason)
  }

  private static func ratio(
    _ base: ReportComparison.Rounds?,
    _ new: ReportComparison.Rounds,
    isJudged: Bool
  ) -> Double? {
    let sides = isJudged ? (base?.judged, new.judged) : (base?.values, new.values)
    guard let before = sides.0.flatMap({ Spread(of: $0)?.median }), before > 0 else { return nil }
    return Spread(of: sides.1).map { ($0.median / before).roundedToMillionths }
  }
}

extension ReportComparison.Finding {
  /// What a limit says of the values of rounds.
  struct Judgement {
    private(set) var interval: Interval?
    private(set) var verdict = Verdict.inconclusive
    private(set) var reason: String?

    init(
      _ limit: FailRule.Limit,
      base: ReportComparison.Rounds?,
      new: ReportComparison.Rounds,
      _ reference: String?,
      noise: Interval?
    ) {
      switch limit {
      case .increase(let threshold):
        guard let base else { preconditionFailure("Finding: an increase needs a base") }
        interval = Bootstrap.ratio(of: new.judged, to: base.judged)?.rounded
        let rounds = min(base.judged.count, new.judged.count)
        reason = Self.reason(rounds: rounds, interval, noise)
        guard reason == nil, let interval, let noise else { return }
        verdict = Verdict(interval, threshold: threshold, floor: noise)
        check(threshold, base, new, reference)
      case .time(let limit):
        interval = Bootstrap.median(of: new.values)
        reason = Self.reason(rounds: new.values.count)
        guard reason == nil, let interval else { return }
        verdict = Verdict(interval, limit: limit)
      case .count: preconditionFailure("Finding: a count limits no percentile")
      }
    }

    /// A ratio changes too when it is the reference that changed: where the peer's
    /// own time did not follow, nothing is said.
    private mutating func check(
      _ threshold: Double,
      _ base: ReportComparison.Rounds,
      _ new: ReportComparison.Rounds,
      _ reference: String?
    ) {
      guard
        let reference, let before = Spread(of: base.values)?.median, before > 0,
        let now = Spread(of: new.values)?.median
      else { return }
      switch verdict {
      case .regressed where !FailRule.isFollowed(threshold, from: before, to: now):
        reason = "\(reference) got faster, it no slower"
      case .improved where !FailRule.isFollowed(threshold, from: now, to: before):
        reason = "\(reference) got slower, it no faster"
      case .regressed, .improved, .unchanged, .inconclusive: return
      }
      verdict = .inconclusive
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

/// What a change did to a figure.
package enum Verdict: String, Codable, CaseIterable, Sendable {
  /// Better, past the threshold and past noise.
  case improved
  /// Neither better nor worse by as much as the threshold.
  case unchanged
  /// Worse, past the threshold and past noise.
  case regressed
  /// The interval touches the threshold, or noise is wider than that.
  case inconclusive

  /// The one verdict of several: what is worst; improved only where something is,
  /// and all else is unchanged.
  package init(of verdicts: some Sequence<Verdict>) {
    let found = Set(verdicts)
    self = [.regressed, .inconclusive, .improved].first(where: found.contains) ?? .unchanged
  }

  /// The verdict on a ratio of new to base, whose interval is `interval`.
  ///
  /// - Parameters:
  ///   - threshold: How much more is too much: 0.1.
  ///   - floor: What measuring one thing twice gave.
  package init(_ interval: Interval, threshold: Double, floor: Interval) {
    let limits = Interval(low: 1 / (1 + threshold), high: 1 + threshold)
    let bounds = limits.union(floor.mirrored)
    if interval.low > bounds.high {
      self = .regressed
    } else if interval.high < bounds.low {
      self = .improved
    } else {
      self = limits.contains(interval) ? .unchanged : .inconclusive
    }
  }

  /// The verdict on a time whose interval is `interval`, and that may be `limit`.
  package init(_ interval: Interval, limit: Double) {
    if interval.low > limit {
      self = .regressed
    } else {
      self = interval.high <= limit ? .unchanged : .inconclusive
    }
  }
}
