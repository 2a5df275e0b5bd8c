/// Measures a set of contenders in interleaved rounds.
///
/// One round that is not recorded comes first: it warms caches, pages and the
/// clock's frequency, and tells how long a round takes. In every round each
/// contender is measured once, in an order that the seed decides.
///
/// ```swift
/// let measurements = try Runner(contenders: contenders, seed: 7).run()
/// ```
public struct Runner: Sendable {
  private let contenders: [Contender]
  private let seed: UInt64
  private let rounds: RoundCount
  private let pace: Pace
  private let instruments: Instruments

  /// Makes a runner; nothing is measured yet.
  public init(
    contenders: [Contender],
    seed: UInt64,
    rounds: RoundCount = .standard,
    pace: Pace = .standard,
    instruments: Instruments = .system
  ) {
    self.contenders = contenders
    self.seed = seed
    self.rounds = rounds
    self.pace = pace
    self.instruments = instruments
  }

  /// The contenders of `round`, in the order they are measured in. The warm-up
  /// round is number 0.
  package func order(round: Int) -> [Contender] {
    var order = contenders
    var generator = SeededGenerator(seed: seed, stream: UInt64(stream: "order/\(round)"))
    generator.shuffle(&order)
    return order
  }

  /// Measures everything. Takes a while: `progress` is told before each slice.
  ///
  /// - Throws: What the first peer that could not be measured says.
  public func run(
    progress: (Progress) -> Void = { _ in }
  ) throws(PeerFailure) -> Measurements {
    let overhead = Overhead.measure(instruments)
    let began = instruments.now()
    var state = Progress(slices: contenders.count)
    var last = try measure(round: 0, state: state, progress: progress)
    state.begin(rounds: rounds.estimate(roundNs: last.wallNs), roundNs: last.wallNs)
    var measurements = Measurements(
      contenders: contenders,
      seed: seed,
      pace: pace,
      overhead: overhead
    )
    while rounds.continues(
      after: measurements.rounds.count,
      elapsedNs: instruments.now() - began,
      roundNs: last.wallNs
    ) {
      last = try measure(round: measurements.rounds.count + 1, state: state, progress: progress)
      measurements.add(last)
    }
    return measurements
  }

  private func measure(
    round: Int,
    state: Progress,
    progress: (Progress) -> Void
  ) throws(PeerFailure) -> RoundOutcome {
    let began = instruments.now()
    var slices: [SliceOutcome] = []
    for (index, contender) in order(round: round).enumerated() {
      progress(state.at(contender, round: round, slice: index))
      slices.append(
        try contender.measure(round: round, seed: seed, pace: pace, instruments: instruments)
      )
    }
    return RoundOutcome(round: round, slices: slices, wallNs: instruments.now() - began)
  }
}
