/// What marks a slice as disturbed: far more of it than its contender's slices
/// usually have.
///
/// Compared with the same contender only, because some are switched often by
/// what they do.
package struct Disturbance: Sendable {
  private let limits: [(value: @Sendable (SeriesRound) -> UInt64, limit: UInt64)]

  // Steal is counted in ticks of 10 ms: one is not telling. Guess: the others.
  private static let floors: [(value: @Sendable (SeriesRound) -> UInt64, floor: UInt64)] = [
    ({ $0.stealNs }, 10_000_000),
    ({ $0.migrations }, 10),
    ({ $0.ctxInvoluntary }, 20),
  ]

  /// The limits for one contender's rounds: 3 times the median, and a floor.
  package init(rounds: [SeriesRound]) {
    limits = Self.floors.map { value, floor in
      let median = Spread(of: rounds.map { Double(value($0)) })?.median ?? 0
      return (value, max(floor, UInt64(median * 3)))
    }
  }

  package func marks(_ round: SeriesRound) -> Bool {
    limits.contains { $0.value(round) > $0.limit }
  }
}
