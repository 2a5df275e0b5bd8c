/// Everything a run recorded.
public struct Measurements: Sendable {
  package let contenders: [Contender]
  package let seed: UInt64
  package let order: RoundOrder
  package let pace: Pace
  package let conditions: Conditions
  package let overhead: Overhead
  /// What contenders said that could not be measured, in order.
  public private(set) var failures: [PeerFailure] = []
  private var failed: Set<String> = []
  /// How many rounds were not recorded.
  package var warmUpRounds = 0
  /// Whether the last of them agreed.
  package var warmUpSettled = false
  package private(set) var rounds: [RoundSummary] = []
  private var tallies: [Tally.Key: Tally] = [:]

  package init(
    contenders: [Contender],
    seed: UInt64,
    order: RoundOrder = .shuffle,
    pace: Pace = .standard,
    conditions: Conditions = .standard,
    overhead: Overhead
  ) {
    self.contenders = contenders
    self.seed = seed
    self.order = order
    self.pace = pace
    self.conditions = conditions
    self.overhead = overhead
  }

  /// Whether no round was recorded.
  public var isEmpty: Bool { rounds.isEmpty }

  /// Leaves `contender` out from now on.
  package mutating func fail(_ contender: Contender, _ failure: PeerFailure) {
    failures.append(failure)
    failed.insert(contender.name)
  }

  package func hasFailed(_ contender: Contender) -> Bool {
    failed.contains(contender.name)
  }

  /// Whether nobody is left to measure.
  package var allFailed: Bool { failures.count == contenders.count }

  /// Adds one recorded round.
  package mutating func add(_ outcome: RoundOutcome) {
    for slice in outcome.slices { add(slice, round: outcome.round) }
    add(
      RoundSummary(
        round: outcome.round,
        order: outcome.slices.map(\.contender.name),
        wallNs: outcome.wallNs
      )
    )
  }

  /// Adds a round whose slices were added one by one.
  package mutating func add(_ summary: RoundSummary) { rounds.append(summary) }

  /// Adds one slice of a round that is not over.
  package mutating func add(_ outcome: SliceOutcome, round: Int) {
    for (series, histogram) in outcome.recorded {
      let key = Tally.Key(
        scenario: outcome.contender.scenario.name,
        series: series,
        peer: outcome.contender.peerName
      )
      tallies[key, default: Tally()].add(histogram, of: outcome, round: round)
    }
  }

  /// Makes room for what `contender` will record.
  package mutating func expect(_ contender: Contender) {
    let own = contender.series.name
    for series in contender.scenario.series where own == series.companionOf ?? series.name {
      let key = Tally.Key(
        scenario: contender.scenario.name,
        series: series.name,
        peer: contender.peerName
      )
      tallies[key] = Tally()
    }
  }

  /// Marks what the machine disturbed, now that it is known what is usual.
  package mutating func markDisturbed() {
    var names: [Int: Set<String>] = [:]
    for key in tallies.keys {
      let marked = tallies[key]?.markDisturbed() ?? []
      for round in marked { names[round, default: []].insert(key.contenderName) }
    }
    rounds = rounds.map { $0.marked(names[$0.round] ?? []) }
  }

  /// What was recorded for one peer in one series; `nil` when it took no part.
  package func tally(scenario: String, series: String, peer: String) -> Tally? {
    tallies[Tally.Key(scenario: scenario, series: series, peer: peer)]
  }
}
