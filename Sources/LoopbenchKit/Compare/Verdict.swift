/// What a change did to a figure.
public enum Verdict: String, Codable, CaseIterable, Sendable {
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
  public init(of verdicts: some Sequence<Verdict>) {
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
