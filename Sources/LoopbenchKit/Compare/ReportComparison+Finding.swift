extension ReportComparison {
  /// The result of one rule for one metric of one peer.
  package struct Finding: Codable, Equatable, Sendable {
    /// The scenario's name.
    package let scenario: String
    /// The series' name.
    package let series: String
    /// The peer's name.
    package let peer: String
    /// `p50`, `max` or `missed`.
    package let metric: String
    /// The text of the rule.
    package let rule: String
    /// The median over the base's rounds in ns; for `missed`, the count. Nil if
    /// there is no base, or if its rounds have too few samples for the metric.
    package private(set) var base: Double?
    /// The value for the new report, computed like `base`.
    package private(set) var new: Double?
    /// The reference. The rule then limits the increase of the ratio to it. Nil if
    /// the rule judges the peer's own times.
    package private(set) var reference: String?
    /// The judged value of the new report divided by the judged value of the base.
    /// Nil if there is no base, or if the base's value is 0.
    package private(set) var ratio: Double?
    /// The 95 % interval of the value that the rule limits, which is the ratio or
    /// the new median.
    package private(set) var interval: Interval?
    /// Ratios inside this interval are noise, as the A/A twins of both runs show.
    /// Nil if neither run has a twin.
    package private(set) var noise: Interval?
    /// The verdict.
    package internal(set) var verdict = Verdict.inconclusive
    /// The reason for an inconclusive verdict. Nil if the reason is the interval.
    package internal(set) var reason: String?
    /// The values that fresh processes measured because the peer looked slower. Nil
    /// if nothing was measured again.
    package internal(set) var again: [Double]?
  }
}

extension ReportComparison.Finding {
  static func all(of rule: FailRule, about pair: ReportComparison.Pair) -> [Self] {
    if case .count(let limit) = rule.limit { return [.init(rule, missed: limit, pair)] }
    return rule.percentiles.compactMap { .init(rule, at: $0, pair) }
  }

  private init(_ rule: FailRule, _ metric: String, of result: Report.Result) {
    (scenario, series, peer) = (result.scenario, result.series, result.peer)
    (self.metric, self.rule) = (metric, rule.description)
  }

  private init(_ rule: FailRule, missed limit: UInt64, _ pair: ReportComparison.Pair) {
    self.init(rule, "missed", of: pair.new.result)
    let missed = pair.new.result.missed
    base = pair.base.map { Double($0.result.missed) }
    new = Double(missed)
    ratio = base.flatMap { $0 > 0 ? (Double(missed) / $0).roundedToMillionths : nil }
    verdict = missed > limit ? .regressed : .unchanged
  }

  /// Returns nil if a round has too few samples for the percentile, unless the rule
  /// names this percentile.
  private init?(_ rule: FailRule, at percentile: Percentile, _ pair: ReportComparison.Pair) {
    let (before, now) = (pair.base?.rounds(at: percentile), pair.new.rounds(at: percentile))
    let isResolved = !now.values.isEmpty && before?.values.isEmpty != true
    guard isResolved || (rule.metric != .any && !FailRule.standard.contains(rule)) else {
      return nil
    }
    self.init(rule, percentile.title, of: pair.new.result)
    base = before.flatMap { Spread(of: $0.values)?.median }
    new = Spread(of: now.values)?.median
    noise = pair.noise[percentile.label]?.rounded
    guard isResolved else {
      reason = "a round has too few samples to tell \(percentile.title) from the largest sample"
      return
    }
    if rule.needsBase { reference = pair.new.reference?.peer }
    let judged = rule.needsBase ? (before?.judged, now.judged) : (before?.values, now.values)
    if let median = judged.0.flatMap({ Spread(of: $0)?.median }), median > 0 {
      ratio = Spread(of: judged.1).map { ($0.median / median).roundedToMillionths }
    }
    judge(by: rule.limit, before, now)
  }
}

extension ReportComparison.Finding {
  /// Sets interval, verdict and reason.
  private mutating func judge(
    by limit: FailRule.Limit,
    _ base: ReportComparison.Rounds?,
    _ new: ReportComparison.Rounds
  ) {
    switch limit {
    case .increase(let threshold):
      guard let base else { preconditionFailure("Finding: the rule \(rule) needs a base") }
      interval = Bootstrap.ratio(of: new.judged, to: base.judged)?.rounded
      reason = Self.reason(rounds: min(base.judged.count, new.judged.count))
      if reason == nil, interval == nil { reason = "the base is 0" }
      if reason == nil, noise == nil { reason = "neither run measured a peer twice (A/A)" }
      guard reason == nil, let interval, let noise else { return }
      verdict = Verdict(interval, threshold: threshold, floor: noise)
      checkReference(threshold)
    case .time(let limit):
      interval = Bootstrap.median(of: new.values)
      reason = Self.reason(rounds: new.values.count)
      guard reason == nil, let interval else { return }
      verdict = Verdict(interval, limit: limit)
    case .count: preconditionFailure("Finding: the rule \(rule) must limit a percentile")
    }
  }

  /// A ratio also changes if only the reference changed. If the peer's own time did
  /// not change along with the ratio, the verdict becomes inconclusive.
  private mutating func checkReference(_ threshold: Double) {
    guard let reference, let base, base > 0, let new else { return }
    switch verdict {
    case .regressed where !FailRule.isFollowed(threshold, from: base, to: new):
      reason = "\(reference) got faster, but \(peer) did not get slower"
    case .improved where !FailRule.isFollowed(threshold, from: new, to: base):
      reason = "\(reference) got slower, but \(peer) did not get faster"
    case .regressed, .improved, .unchanged, .inconclusive: return
    }
    verdict = .inconclusive
  }

  private static func reason(rounds: Int) -> String? {
    rounds >= Bootstrap.leastRounds ? nil : Bootstrap.shortage(of: rounds)
  }
}

/// How a metric changed between two runs.
package enum Verdict: String, Codable, CaseIterable, Sendable {
  /// Better by more than the threshold and the noise.
  case improved
  /// Neither better nor worse by more than the threshold.
  case unchanged
  /// Worse by more than the threshold and the noise.
  case regressed
  /// The interval contains the threshold, or is not entirely outside the noise.
  case inconclusive

  /// The worst of several verdicts. It is `improved` only if every verdict is
  /// `improved` or `unchanged`.
  package init(of verdicts: some Sequence<Verdict>) {
    let found = Set(verdicts)
    self = [.regressed, .inconclusive, .improved].first(where: found.contains) ?? .unchanged
  }

  /// The verdict on the ratio of new to base.
  ///
  /// - Parameters:
  ///   - interval: The 95 % interval of the ratio.
  ///   - threshold: The allowed increase: 0.1 is 10 %.
  ///   - floor: The interval of the ratio between a peer and its twin.
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

  /// The verdict on a time with the given interval and limit.
  package init(_ interval: Interval, limit: Double) {
    if interval.low > limit {
      self = .regressed
    } else {
      self = interval.high <= limit ? .unchanged : .inconclusive
    }
  }
}
