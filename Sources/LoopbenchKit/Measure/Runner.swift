/// Measures a set of contenders in interleaved rounds.
///
/// Rounds that are not recorded come first: they warm caches, pages and the
/// clock's frequency, and tell how long a round takes. In every round each
/// contender is measured once, in an order that the seed decides.
///
/// ```swift
/// let measurements = try Runner(contenders: contenders, seed: 7).run()
/// ```
public struct Runner: Sendable {
  private let contenders: [Contender]
  private let seed: UInt64
  private let rounds: RoundCount
  private let order: RoundOrder
  private let warmUp: WarmUp
  private let pace: Pace
  private let instruments: Instruments

  /// Makes a runner; nothing is measured yet.
  public init(
    contenders: [Contender],
    seed: UInt64,
    rounds: RoundCount = .standard,
    order: RoundOrder = .shuffle,
    warmUp: WarmUp = .auto,
    pace: Pace = .standard,
    instruments: Instruments = .system
  ) {
    self.contenders = contenders
    self.seed = seed
    self.rounds = rounds
    self.order = order
    self.warmUp = warmUp
    self.pace = pace
    self.instruments = instruments
  }

  /// The contenders of `round`, in the order they are measured in. The first
  /// warm-up round is number 0, the one after it -1.
  package func order(round: Int) -> [Contender] {
    order.arranged(contenders, round: round, seed: seed)
  }

  /// Measures everything. Takes a while: `progress` is told before each slice.
  ///
  /// - Throws: What the first peer that could not be measured says.
  public func run(
    progress: (Progress) -> Void = { _ in }
  ) throws(PeerFailure) -> Measurements {
    let measurements = Measurements(
      contenders: contenders,
      seed: seed,
      order: order,
      pace: pace,
      overhead: Overhead.measure(instruments)
    )
    var run = Run(
      began: instruments.now(),
      state: Progress(slices: contenders.count),
      measurements: measurements
    )
    try warmUp(&run, progress: progress)
    run.recordingBegan = instruments.now()
    if order == .block {
      try recordBlocks(&run, progress: progress)
    } else {
      try recordRounds(&run, progress: progress)
    }
    run.measurements.markDisturbed()
    return run.measurements
  }
}

extension Runner {
  /// How far a run is.
  private struct Run {
    let began: UInt64
    var recordingBegan: UInt64 = 0
    var state: Progress
    var lastNs: UInt64 = 0
    var estimate = 0
    var measurements: Measurements
  }

  private func warmUp(
    _ run: inout Run,
    progress: (Progress) -> Void
  ) throws(PeerFailure) {
    var state = WarmUpState()
    var samples: UInt64 = 0
    while warmUp.continues(
      after: state,
      elapsedNs: instruments.now() - run.began,
      roundNs: run.lastNs
    ) {
      let last = try measure(round: -state.rounds, state: run.state, progress: progress)
      state.add(last)
      run.lastNs = last.wallNs
      samples = last.fewestSamples
    }
    run.measurements.warmUpRounds = state.rounds
    run.measurements.warmUpSettled = warmUp.isSettled(state)
    run.estimate = rounds.estimate(
      roundNs: run.lastNs,
      samples: samples,
      contenders: contenders.count
    )
    run.state.begin(rounds: run.estimate, roundNs: run.lastNs)
  }

  private func recordRounds(
    _ run: inout Run,
    progress: (Progress) -> Void
  ) throws(PeerFailure) {
    while continues(run) {
      let round = run.measurements.rounds.count + 1
      let outcome = try measure(round: round, state: run.state, progress: progress)
      run.lastNs = outcome.wallNs
      run.measurements.add(outcome)
    }
  }

  private func continues(_ run: Run) -> Bool {
    let now = instruments.now()
    return rounds.continues(
      after: run.measurements.rounds.count,
      elapsedNs: now - run.began,
      roundNs: run.lastNs,
      recordedNs: now - run.recordingBegan,
      samples: run.measurements.fewestSamples,
      contenders: contenders.count
    )
  }

  /// As many rounds as were estimated; a round's slices lie far apart.
  private func recordBlocks(
    _ run: inout Run,
    progress: (Progress) -> Void
  ) throws(PeerFailure) {
    let rounds = 1...max(1, run.estimate)
    let order = order(round: 1)
    var wallNs: [Int: UInt64] = [:]
    for (index, contender) in order.enumerated() {
      for round in rounds {
        let done = index * rounds.count + round - 1
        progress(run.state.at(contender, slicesDone: done, round: round))
        let slice = try contender.measure(round: round, seed: seed, pace: pace, instruments: instruments)
        run.measurements.add(slice, round: round)
        wallNs[round, default: 0] += slice.wallNs
      }
    }
    for (round, wallNs) in wallNs.sorted(by: { $0.key < $1.key }) {
      run.measurements.add(
        RoundSummary(round: round, order: order.map(\.name), wallNs: wallNs)
      )
    }
  }

  private func measure(
    round: Int,
    state: Progress,
    progress: (Progress) -> Void
  ) throws(PeerFailure) -> RoundOutcome {
    let began = instruments.now()
    var slices: [SliceOutcome] = []
    for (index, contender) in order(round: round).enumerated() {
      progress(state.at(contender, round: max(0, round), slice: index))
      slices.append(
        try contender.measure(round: round, seed: seed, pace: pace, instruments: instruments)
      )
    }
    return RoundOutcome(round: round, slices: slices, wallNs: instruments.now() - began)
  }
}
