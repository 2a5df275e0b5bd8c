/// Everything a run recorded.
package struct Measurements: Sendable {
  /// What was measured, and how.
  let runner: Runner
  let overhead: Overhead
  /// What contenders said that could not be measured, in order.
  package private(set) var failures: [PeerFailure] = []
  private var failed: Set<String> = []
  /// How many rounds were not recorded.
  package var warmUpRounds = 0
  /// Whether the last of them agreed.
  package var warmUpSettled = false
  package private(set) var rounds: [RoundSummary] = []
  private var tallies: [Tally.Key: Tally] = [:]

  init(of runner: Runner, overhead: Overhead) {
    self.runner = runner
    self.overhead = overhead
  }

  var contenders: [Contender] { runner.contenders }

  /// Whether no round was recorded.
  package var isEmpty: Bool { rounds.isEmpty }

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
    for slice in outcome.slices {
      for (series, histogram) in slice.recorded {
        tallies[Tally.Key(slice.contender, series), default: Tally()]
          .add(histogram, of: slice, round: outcome.round)
      }
    }
    let order = outcome.slices.map(\.contender.name)
    rounds.append(RoundSummary(round: outcome.round, order: order, wallNs: outcome.wallNs))
  }

  /// Makes room for what `contender` will record.
  package mutating func expect(_ contender: Contender) {
    let own = contender.series.name
    for series in contender.scenario.series where own == series.companionOf ?? series.name {
      tallies[Tally.Key(contender, series.name)] = Tally()
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

  func tally(_ contender: Contender, _ series: Series) -> Tally? {
    tallies[Tally.Key(contender, series.name)]
  }

  /// What was recorded for one peer in one series; `nil` when it took no part.
  package func tally(scenario: String, series: String, peer: String) -> Tally? {
    tallies[Tally.Key(scenario: scenario, series: series, peer: peer)]
  }
}

/// One peer's samples in one series: all of them together, and round by round.
package struct Tally: Sendable {
  package struct Key: Hashable, Sendable {
    package let scenario: String
    package let series: String
    package let peer: String

    init(scenario: String, series: String, peer: String) {
      (self.scenario, self.series, self.peer) = (scenario, series, peer)
    }

    init(_ contender: Contender, _ series: String) {
      self.init(scenario: contender.scenario.name, series: series, peer: contender.peerName)
    }

    package var contenderName: String { "\(scenario)/\(series)/\(peer)" }
  }

  package private(set) var rounds: [SeriesRound] = []
  private var histograms: [SparseHistogram] = []
  package private(set) var earlyFires = 0
  package private(set) var missed: UInt64 = 0
  package private(set) var counts: [String: UInt64] = [:]

  package init() {}

  package mutating func add(_ histogram: SparseHistogram, of outcome: SliceOutcome, round: Int) {
    earlyFires += outcome.earlyFires
    missed += outcome.missed
    counts.merge(outcome.counts, uniquingKeysWith: +)
    rounds.append(SeriesRound(histogram.dense, of: outcome, round: round))
    histograms.append(histogram)
  }

  /// How many samples there are.
  package var count: UInt64 { histograms.reduce(0) { $0 + $1.count } }

  /// What all rounds recorded.
  ///
  /// - Complexity: O(rounds): keep it.
  package var total: Histogram { merged { _ in true } }

  /// Marks the disturbed rounds, and returns their numbers.
  package mutating func markDisturbed() -> [Int] {
    let disturbance = NoiseFilter(rounds: rounds)
    for index in rounds.indices { rounds[index].isDisturbed = disturbance.marks(rounds[index]) }
    return rounds.filter(\.isDisturbed).map(\.round)
  }

  /// What the rounds recorded that were not disturbed.
  package var undisturbed: Histogram { merged { !$0.isDisturbed } }

  private func merged(_ isWanted: (SeriesRound) -> Bool) -> Histogram {
    var histogram = Histogram()
    for (round, samples) in zip(rounds, histograms) where isWanted(round) {
      histogram.merge(samples)
    }
    return histogram
  }
}

/// What every contender did in one round, in the order they were measured in.
package struct RoundOutcome: Sendable {
  package let round: Int
  package let slices: [SliceOutcome]
  package let wallNs: UInt64

  package init(round: Int, slices: [SliceOutcome], wallNs: UInt64) {
    self.round = round
    self.slices = slices
    self.wallNs = wallNs
  }
}

/// One round of a run, as reports list it.
package struct RoundSummary: Codable, Equatable, Sendable {
  /// From 1; the warm-up round is not listed.
  package let round: Int
  /// The contenders in the order they were measured in.
  package let order: [String]
  /// How long the round took.
  package let wallNs: UInt64
  /// Whether any slice in it was disturbed.
  package let isDisturbed: Bool
  /// Which were: `wake/across/uv`.
  package let disturbed: [String]

  package init(round: Int, order: [String], wallNs: UInt64, disturbed: [String] = []) {
    self.round = round
    self.order = order
    self.wallNs = wallNs
    self.disturbed = disturbed
    isDisturbed = !disturbed.isEmpty
  }

  /// The same round, with what was disturbed in it.
  func marked(_ names: Set<String>) -> RoundSummary {
    RoundSummary(round: round, order: order, wallNs: wallNs, disturbed: names.sorted())
  }
}

/// What one peer did in one series in one round.
package struct SeriesRound: Codable, Equatable, Sendable {
  /// From 1.
  package let round: Int
  /// Samples.
  package let count: UInt64
  /// In ns, keyed `"50"`, `"99.9"`, `"max"`; those that so many samples resolve.
  package let percentiles: [String: Double]
  /// What was counted in it beside the times; `nil` for nothing.
  package let counts: [String: UInt64]?
  /// How long the slice took, warm-up and set-up included.
  package let wallNs: UInt64
  /// Processor time the whole process used in it.
  package let cpuNs: UInt64
  /// Context switches in it: a thread slept.
  package let ctxVoluntary: UInt64
  /// Context switches in it: a thread was taken off its CPU.
  package let ctxInvoluntary: UInt64
  /// Time the host gave the machine's CPUs to others while it ran.
  package let stealNs: UInt64
  /// How often a thread moved to another CPU in it.
  package let migrations: UInt64
  /// Whether steal, migrations or involuntary switches were more than 3 times the
  /// median of the peer's rounds, and more than a few.
  package var isDisturbed = false

  init(_ histogram: Histogram, of outcome: SliceOutcome, round: Int) {
    self.round = round
    count = histogram.count
    percentiles = histogram.percentiles(Percentile.standard)
    counts = outcome.counts.isEmpty ? nil : outcome.counts
    wallNs = outcome.wallNs
    cpuNs = outcome.usage.cpuNs
    ctxVoluntary = outcome.usage.voluntarySwitches
    ctxInvoluntary = outcome.usage.involuntarySwitches
    stealNs = outcome.usage.stealNs
    migrations = outcome.usage.migrations
  }
}

extension Histogram {
  /// The values of those of `percentiles` that its samples resolve, in ns to the picosecond, keyed as in a report.
  package func percentiles(_ percentiles: [Percentile]) -> [String: Double] {
    let pairs = percentiles.filter { $0.isResolved(by: count) }
      .map { ($0.label, value(at: $0).roundedToPicoseconds) }
    return Dictionary(uniqueKeysWithValues: pairs)
  }
}

extension Double {
  /// A number of ns without the digits below the histogram's unit.
  package var roundedToPicoseconds: Double {
    (self * 1000).rounded() / 1000
  }
}

/// What marks a slice as disturbed: far more of it than its contender's slices
/// usually have.
///
/// Compared with the same contender only, because some are switched often by
/// what they do.
package struct NoiseFilter: Sendable {
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
