/// What can be said of a peer next to a reference.
public enum ComparisonVerdict: String, Codable, CaseIterable, Sendable {
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
