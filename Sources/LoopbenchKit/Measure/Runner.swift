/// Measures a set of contenders in interleaved rounds.
///
/// Warm-up rounds come first and are not recorded. They fill the caches, touch the
/// memory pages, raise the CPU frequency and show how long a round takes. Every round
/// measures each contender once, in an order derived from the seed.
///
/// ```swift
/// let measurements = try Runner(contenders: contenders, seed: 7).run()
/// ```
package struct Runner: Sendable {
  let contenders: [Contender]
  let seed: UInt64
  let rounds: RoundCount
  private let warmUp: WarmUp
  let pace: Pace
  let instruments: Instruments

  /// Makes a runner. Call `run()` to measure.
  package init(
    contenders: [Contender],
    seed: UInt64,
    rounds: RoundCount = .standard,
    warmUp: WarmUp = .auto,
    pace: Pace = .standard,
    instruments: Instruments = .system
  ) {
    self.contenders = contenders
    self.seed = seed
    self.rounds = rounds
    self.warmUp = warmUp
    self.pace = pace
    self.instruments = instruments
  }

  /// The contenders in the order of `round`. Warm-up rounds are numbered 0, -1,
  /// -2, ….
  ///
  /// If the time of the run is limited, the twins come last until a round is recorded. A
  /// run that ends within its first round has then measured every peer.
  package func order(round: Int) -> [Contender] {
    let order = contenders.shuffled(forRound: round, seed: seed)
    guard round <= 1, rounds.endNs != nil else { return order }
    return order.filter { !$0.isTwin } + order.filter(\.isTwin)
  }

  /// The duration in ns of a round and of the preparation before it. Nil if they are not
  /// known before the run.
  package var schedule: Schedule? {
    let slices = contenders.compactMap(\.scheduledNs)
    guard !slices.isEmpty, slices.count == contenders.count else { return nil }
    let preparations = contenders.map(\.scenario).uniqued(by: \.name).map(\.preparationNs)
    return Schedule(roundNs: slices.reduce(0, +), preparationNs: preparations.reduce(0, +))
  }

  /// The times of a run that are known before it measures.
  package struct Schedule: Equatable, Sendable {
    package let roundNs: UInt64
    package let preparationNs: UInt64
  }

  /// Measures all rounds. Blocks until the run ends.
  ///
  /// A contender that fails is left out of later rounds. Its failure becomes part
  /// of the result.
  ///
  /// - Parameters:
  ///   - progress: Called before each slice.
  ///   - isInterrupted: Called before each slice. If it returns true, the run ends
  ///     before that slice, even in the middle of a round. The result then contains
  ///     the slices so far.
  /// - Throws: The first failure, if every contender failed.
  package func run(
    progress: (Progress) -> Void = { _ in },
    isInterrupted: () -> Bool = { false }
  ) throws(PeerError) -> Measurements {
    func goesOn(_ state: Progress) -> Bool {
      guard !isInterrupted() else { return false }
      progress(state)
      return true
    }
    var run = RunState(
      Measurements(of: self, overhead: .measure(instruments)),
      began: instruments.now()
    )
    warmUp(&run, goesOn)
    recordRounds(&run, goesOn)
    if run.measurements.allFailed, let first = run.measurements.failures.first { throw first }
    run.measurements.markDisturbed()
    return run.measurements
  }

  /// The expected measurements of a run, without samples. They show in advance
  /// whether the result of the run can be compared.
  package var plan: Measurements {
    var plan = Measurements(of: self, overhead: Overhead(clockNs: 0, recordNs: 0))
    for contender in contenders { plan.expect(contender) }
    return plan
  }
}

extension Runner {
  private func warmUp(_ run: inout RunState, _ goesOn: (Progress) -> Bool) {
    var state = WarmUpState()
    while !run.isOver,
      warmUp.continues(
        after: state,
        elapsedNs: instruments.now() - run.began,
        roundNs: run.lastNs
      )
    {
      let last = measure(round: -state.rounds, &run, goesOn)
      // A short run has time for its recorded round only.
      guard !last.slices.isEmpty else { break }
      state.add(last)
      // A round that ended early has measured a part of the contenders.
      run.lastNs = last.wallNs * UInt64(contenders.count) / UInt64(max(1, last.slices.count))
    }
    run.measurements.warmUpRounds = state.rounds
    run.measurements.warmUpSettled = warmUp.isSettled(state)
    let roundNs = schedule?.roundNs ?? run.lastNs
    run.progress.begin(rounds: rounds.estimate(roundNs: roundNs), roundNs: roundNs)
  }

  private func recordRounds(_ run: inout RunState, _ goesOn: (Progress) -> Bool) {
    while !run.isOver, continues(run) {
      // Later rounds need no preparation.
      let preparation = run.sliceNs.isEmpty ? schedule?.preparationNs ?? 0 : 0
      let outcome = measure(round: run.measurements.rounds.count + 1, &run, goesOn)
      run.lastNs = outcome.wallNs - min(preparation, outcome.wallNs)
      if !outcome.slices.isEmpty { run.measurements.add(outcome) }
    }
  }

  private func continues(_ run: RunState) -> Bool {
    rounds.continues(
      after: run.measurements.rounds.count,
      elapsedNs: instruments.now() - run.began,
      roundNs: run.lastNs
    )
  }
}

extension Runner {
  private func measure(
    round: Int,
    _ run: inout RunState,
    _ goesOn: (Progress) -> Bool
  ) -> RoundOutcome {
    let began = instruments.now()
    var slices: [SliceOutcome] = []
    for (index, contender) in order(round: round).enumerated()
    where !run.isOver && !run.measurements.hasFailed(contender) {
      guard !isOver(round, contender, run) else {
        run.isLate = round > 0
        break
      }
      let state = run.progress.at(contender, round: max(0, round), slice: index)
      let done = measure(contender, round: round, state, &run, goesOn)
      if let slice = done.first { run.sliceNs[contender.seriesPath] = slice.wallNs }
      slices += done
    }
    if run.isLate, round == 1 { run.measurements.isUnfinished = true }
    return RoundOutcome(round: round, slices: slices, wallNs: instruments.now() - began)
  }

  /// Whether the time is up within `round`, or would be before a slice of `contender` ends.
  private func isOver(_ round: Int, _ contender: Contender, _ run: RunState) -> Bool {
    guard let end = rounds.endNs else { return false }
    let elapsed = instruments.now() - run.began
    // The peers of a series have the same work, so the last slice of any predicts the next.
    let slice = contender.scheduledNs ?? run.sliceNs[contender.seriesPath] ?? 0
    guard round <= 0 else {
      return rounds.isOver(
        in: round,
        elapsedNs: elapsed,
        sliceNs: slice,
        isScheduled: schedule != nil
      )
    }
    let needed = schedule.map { schedule in
      // Twice, because a busy machine prepares for longer, and a run that has warmed up
      // but recorded nothing is useless.
      let preparation = run.sliceNs.isEmpty ? 2 * schedule.preparationNs : 0
      return elapsed + preparation + slice + schedule.roundNs
    }
    return warmUp.isOver(elapsedNs: elapsed, of: rounds) || needed.map { $0 > end } ?? false
  }

  /// Measures one slice. Returns `nil` if the run is interrupted or the contender
  /// fails.
  private func measure(
    _ contender: Contender,
    round: Int,
    _ state: Progress,
    _ run: inout RunState,
    _ goesOn: (Progress) -> Bool
  ) -> [SliceOutcome] {
    guard goesOn(state) else {
      run.isInterrupted = true
      return []
    }
    do throws(PeerError) {
      return [
        try contender.measure(
          round: round,
          seed: seed,
          pace: pace,
          instruments: instruments
        )
      ]
    } catch {
      run.measurements.fail(contender, error)
      return []
    }
  }
}

/// The state of a run.
struct RunState {
  let began: UInt64
  var progress: Progress
  /// The duration of the last round.
  var lastNs: UInt64 = 0
  /// The duration of the last slice of each series, by its path.
  var sliceNs: [String: UInt64] = [:]
  var isInterrupted = false
  /// Whether the time was up within a recorded round.
  var isLate = false
  var measurements: Measurements

  init(_ measurements: Measurements, began: UInt64) {
    self.began = began
    self.measurements = measurements
    progress = Progress(slices: measurements.contenders.count)
  }

  /// Whether no further slice will be measured.
  var isOver: Bool { isInterrupted || isLate || measurements.allFailed }
}
