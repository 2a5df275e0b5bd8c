/// How long a run measures before it records.
public enum WarmUp: Equatable, Sendable {
  /// Rounds until each contender's median moved by less than 5 % over three of
  /// them; at most 5 rounds, and no further one that would end past 2 s.
  case auto
  /// Rounds for as long as stated, at least one.
  case duration(nanoseconds: UInt64)
  /// As many rounds as stated, at least one.
  case rounds(Int)

  // Guess: the study of other tools proposes these figures.
  private static let tolerance = 0.05
  private static let window = 3
  private static let mostRounds = 5
  private static let mostNs: UInt64 = 2_000_000_000

  /// Whether another round follows those in `done`.
  ///
  /// - Parameter roundNs: What the last round took.
  package func continues(after done: WarmUpState, elapsedNs: UInt64, roundNs: UInt64) -> Bool {
    guard done.rounds > 0 else { return true }
    switch self {
    case .rounds(let count): return done.rounds < count
    case .duration(let nanoseconds): return elapsedNs < nanoseconds
    case .auto:
      return !isSettled(done) && done.rounds < Self.mostRounds
        && elapsedNs + roundNs <= Self.mostNs
    }
  }

  /// Whether the last rounds of every contender agree.
  package func isSettled(_ done: WarmUpState) -> Bool {
    done.rounds >= Self.window
      && done.medians.values.allSatisfy { medians in
        let last = Spread(of: Array(medians.suffix(Self.window)))
        return last.map { $0.high - $0.low <= Self.tolerance * $0.low } ?? true
      }
  }
}

/// The warm-up rounds of a run so far.
package struct WarmUpState: Sendable {
  package private(set) var rounds = 0
  /// The p50 of each round, by contender and series.
  package private(set) var medians: [String: [Double]] = [:]

  package init() {}

  package mutating func add(_ outcome: RoundOutcome) {
    rounds += 1
    for slice in outcome.slices {
      for (series, histogram) in slice.recorded {
        medians["\(slice.contender.name) \(series)", default: []].append(
          histogram.dense.value(at: .p50)
        )
      }
    }
  }
}
