/// Everything a run recorded.
public struct Measurements: Sendable {
  package let contenders: [Contender]
  package let seed: UInt64
  /// What contenders said that could not be measured, in order.
  public private(set) var failures: [PeerFailure] = []
  private var failed: Set<String> = []
  package private(set) var rounds: [RoundSummary] = []
  private var tallies: [Tally.Key: Tally] = [:]

  package init(contenders: [Contender], seed: UInt64) {
    self.contenders = contenders
    self.seed = seed
  }

  /// Whether no round was recorded.
  public var isEmpty: Bool { rounds.isEmpty }

  /// Adds one recorded round.
  package mutating func add(_ outcome: RoundOutcome) {
    for slice in outcome.slices { add(slice, round: outcome.round) }
    rounds.append(
      RoundSummary(
        round: outcome.round,
        order: outcome.slices.map(\.contender.name),
        wallNs: outcome.wallNs
      )
    )
  }

  /// Leaves `contender` out from now on.
  package mutating func fail(_ contender: Contender, _ failure: PeerFailure) {
    failures.append(failure)
    failed.insert(contender.name)
  }

  package func hasFailed(_ contender: Contender) -> Bool {
    failed.contains(contender.name)
  }

  private mutating func add(_ outcome: SliceOutcome, round: Int) {
    for (series, histogram) in outcome.slice.recorded {
      let key = Tally.Key(
        scenario: outcome.contender.scenario.name,
        series: series,
        peer: outcome.contender.peer.name
      )
      tallies[key, default: Tally()].add(histogram, of: outcome, round: round)
    }
  }

  /// What was recorded for one peer in one series; `nil` when it took no part.
  package func tally(scenario: String, series: String, peer: String) -> Tally? {
    tallies[Tally.Key(scenario: scenario, series: series, peer: peer)]
  }
}
