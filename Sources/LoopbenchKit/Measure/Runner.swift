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
  private let instruments: Instruments

  /// Makes a runner; nothing is measured yet.
  public init(
    contenders: [Contender],
    seed: UInt64,
    rounds: RoundCount = .standard,
    instruments: Instruments = .system
  ) {
    self.contenders = contenders
    self.seed = seed
    self.rounds = rounds
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
  /// A contender that fails is left out from then on, and the measurements say so.
  ///
  /// - Parameter isInterrupted: Asked before each slice; after `true` the run ends
  ///   with what it has, also in the middle of a round.
  /// - Throws: What the first contender says, when none could be measured.
  public func run(
    progress: (Progress) -> Void = { _ in },
    isInterrupted: () -> Bool = { false }
  ) throws(PeerFailure) -> Measurements {
    let began = instruments.now()
    var pace = Progress(slices: contenders.count)
    var run = Measurements(contenders: contenders, seed: seed)
    var last = measure(round: 0, pace: pace, &run, isInterrupted, progress)
    pace.begin(rounds: rounds.estimate(roundNs: last.wallNs), roundNs: last.wallNs)
    while !isInterrupted(), run.failures.count < contenders.count,
      rounds.continues(
        after: run.rounds.count,
        elapsedNs: instruments.now() - began,
        roundNs: last.wallNs
      )
    {
      last = measure(round: run.rounds.count + 1, pace: pace, &run, isInterrupted, progress)
      if !last.slices.isEmpty { run.add(last) }
    }
    if run.failures.count == contenders.count, let first = run.failures.first { throw first }
    return run
  }

  private func measure(
    round: Int,
    pace: Progress,
    _ run: inout Measurements,
    _ isInterrupted: () -> Bool,
    _ progress: (Progress) -> Void
  ) -> RoundOutcome {
    let began = instruments.now()
    var slices: [SliceOutcome] = []
    for (index, contender) in order(round: round).enumerated() where !run.hasFailed(contender) {
      if isInterrupted() { break }
      progress(pace.at(contender, round: round, slice: index))
      do throws(PeerFailure) {
        slices.append(try contender.measure(round: round, seed: seed, instruments: instruments))
      } catch {
        run.fail(contender, error)
      }
    }
    return RoundOutcome(round: round, slices: slices, wallNs: instruments.now() - began)
  }
}
