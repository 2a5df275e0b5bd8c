import LoopTransactionsTesting

/// The number of rounds of a run.
package enum RoundCount: Equatable, Sendable {
  /// Exactly this number of rounds.
  case fixed(Int)
  /// The rounds that fit into `nanoseconds` together with the warm-up, but at least
  /// 10 and at most 30 rounds. 10 rounds may take twice the time; then fewer are
  /// measured.
  case fitting(nanoseconds: UInt64)
  /// The rounds that fit into `nanoseconds` together with the warm-up, but at most
  /// `rounds`, and at least one round unless it takes longer than 5 s.
  case within(nanoseconds: UInt64, rounds: Int)

  /// The default of `loopbench`: about 20 s.
  package static let standard = RoundCount.fitting(nanoseconds: 19_000_000_000)

  /// The smallest number of rounds that gives a useful median.
  package static let least = 10
  /// The largest number of rounds of a run that is limited by its time.
  package static let most = 30
  // 5 s: a run without a whole round compares nothing. Not measured.
  private static let leastNs: UInt64 = 5_000_000_000

  private var limits: (least: Int, most: Int, nanoseconds: UInt64) {
    switch self {
    case .fixed(let count): (count, count, 0)
    case .fitting(let nanoseconds): (Self.least, Self.most, nanoseconds)
    case .within(let nanoseconds, let rounds): (1, rounds, nanoseconds)
    }
  }

  /// The time after which no slice begins. Nil means no limit.
  package var endNs: UInt64? {
    switch self {
    case .fixed: nil
    case .fitting(let nanoseconds): nanoseconds * 2
    case .within(let nanoseconds, _): nanoseconds
    }
  }

  /// Whether the run ends before the next slice of `round`, even within the round.
  ///
  /// - Parameters:
  ///   - sliceNs: The expected duration of the next slice.
  ///   - isScheduled: Whether the duration of a round was known before the run, so that
  ///     the first round does not need more time than the others.
  package func isOver(
    in round: Int,
    elapsedNs: UInt64,
    sliceNs: UInt64 = 0,
    isScheduled: Bool = false
  ) -> Bool {
    guard let endNs else { return false }
    let end = round == 1 && !isScheduled ? max(endNs, Self.leastNs) : endNs
    return elapsedNs >= end || elapsedNs + sliceNs > end
  }

  /// Whether another round follows after `done` recorded rounds.
  ///
  /// - Parameters:
  ///   - elapsedNs: The time since the warm-up began.
  ///   - roundNs: The duration of the last round.
  package func continues(after done: Int, elapsedNs: UInt64, roundNs: UInt64) -> Bool {
    let (least, most, nanoseconds) = limits
    let needed = elapsedNs + roundNs
    guard done >= least else { return done == 0 || needed <= endNs ?? .max }
    return done < most && needed <= nanoseconds
  }

  /// The expected number of rounds if each round takes `roundNs`.
  package func estimate(roundNs: UInt64) -> Int {
    let (least, most, nanoseconds) = limits
    func count(in time: UInt64) -> Int { Int(time / max(1, roundNs)) - 1 }
    let reached = endNs.map { min(least, max(1, count(in: $0))) } ?? least
    return min(most, max(reached, count(in: nanoseconds)))
  }
}

extension Array {
  /// Returns the elements in the order of `round`, which differs from round to round. Round 0
  /// is the first warm-up round.
  func shuffled(forRound round: Int, seed: UInt64) -> [Element] {
    var order = self
    var generator = SeededGenerator(seed: seed, stream: UInt64(stream: "order/\(round)"))
    generator.shuffle(&order)
    return order
  }
}

/// The length of the warm-up, which is measured but not recorded.
package enum WarmUp: Equatable, Sendable {
  /// Ends when the medians of each contender differ by less than 5 % over three
  /// rounds. Ends after 5 rounds in any case, and before a round that would end
  /// after 2 s. Ends within a round after a quarter of the run's time, but not
  /// within 2 s.
  case auto
  /// Ends when this time has passed, but after at least one round.
  case duration(nanoseconds: UInt64)
  /// Has this number of rounds, but at least one round.
  case rounds(Int)

  // Not measured. A study of other tools proposes these figures.
  private static let tolerance = 0.05
  private static let window = 3
  private static let mostRounds = 5
  private static let mostNs: UInt64 = 2_000_000_000

  /// Whether another warm-up round follows the rounds in `done`.
  ///
  /// - Parameter roundNs: The duration of the last round.
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

  /// Whether the warm-up ends before the next slice, even within a round.
  package func isOver(elapsedNs: UInt64, of rounds: RoundCount) -> Bool {
    guard self == .auto, let end = rounds.endNs else { return false }
    return elapsedNs >= max(Self.mostNs, end / 4)
  }

  /// Whether the medians of the last rounds agree for every contender.
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

/// The progress of a run.
package struct Progress: Equatable, Sendable {
  /// The contender that is being measured: `wake/across/uv`.
  package private(set) var contender = ""
  /// The round that is being measured; 0 during the warm-up.
  package private(set) var round = 0
  /// The expected number of rounds; `nil` during the warm-up.
  package private(set) var rounds: Int?

  private var roundNs: UInt64 = 0
  private let slices: Int
  private var slice = 0

  package init(slices: Int) {
    self.slices = slices
  }

  /// Ends the warm-up.
  package mutating func begin(rounds: Int, roundNs: UInt64) {
    self.rounds = rounds
    self.roundNs = roundNs
  }

  /// Returns the progress of the same run at the given slice.
  package func at(_ contender: Contender, round: Int, slice: Int) -> Progress {
    var progress = self
    progress.contender = contender.name
    progress.round = round
    progress.slice = slice
    return progress
  }

  /// The completed part of the run, from 0 to 1; `nil` during the warm-up.
  package var fraction: Double? {
    guard let rounds, rounds > 0, slices > 0 else { return nil }
    let done = Double((round - 1) * slices + slice) / Double(rounds * slices)
    return min(1, max(0, done))
  }

  /// The remaining time in ns, estimated from the last warm-up round; `nil`
  /// during the warm-up.
  package var remainingNs: UInt64? {
    guard let rounds, slices > 0 else { return nil }
    let left = (rounds - round + 1) * slices - slice
    return UInt64(max(0, left)) * roundNs / UInt64(slices)
  }
}
