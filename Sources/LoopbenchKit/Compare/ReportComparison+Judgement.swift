extension ReportComparison.Finding {
  /// What a limit says of the values of rounds.
  struct Judgement {
    private(set) var interval: Interval?
    private(set) var verdict = Verdict.inconclusive
    private(set) var reason: String?

    init(
      _ limit: FailRule.Limit,
      base: ReportComparison.Pair.Rounds?,
      new: ReportComparison.Pair.Rounds,
      _ pair: ReportComparison.Pair,
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
        check(threshold, base, new, pair)
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
      _ base: ReportComparison.Pair.Rounds,
      _ new: ReportComparison.Pair.Rounds,
      _ pair: ReportComparison.Pair
    ) {
      guard
        let reference = pair.reference?.new.peer,
        let before = Spread(of: base.values)?.median, before > 0,
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
