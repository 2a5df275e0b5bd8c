/// Everything that a run recorded.
package struct Measurements: Sendable {
  /// The runner that measured.
  let runner: Runner
  let overhead: Overhead
  /// The failures of contenders, in the order they happened.
  package private(set) var failures: [PeerError] = []
  private var failed: Set<String> = []
  /// The number of rounds before the first recorded round.
  package var warmUpRounds = 0
  /// Whether the medians of the last warm-up rounds agreed.
  package var warmUpSettled = false
  /// Whether the time was up within the first round.
  package var isUnfinished = false
  package private(set) var rounds: [RoundSummary] = []
  private var tallies: [Tally.Key: Tally] = [:]

  init(of runner: Runner, overhead: Overhead) {
    self.runner = runner
    self.overhead = overhead
  }

  var contenders: [Contender] { runner.contenders }

  /// Whether no round was recorded.
  package var isEmpty: Bool { rounds.isEmpty }

  /// Records a failure. The rest of the run leaves out `contender`.
  package mutating func fail(_ contender: Contender, _ failure: PeerError) {
    failures.append(failure)
    failed.insert(contender.name)
  }

  package func hasFailed(_ contender: Contender) -> Bool {
    failed.contains(contender.name)
  }

  /// Whether every contender has failed.
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

  /// Adds an empty tally for each series that `contender` will record.
  package mutating func expect(_ contender: Contender) {
    let own = contender.series.name
    for series in contender.scenario.series where own == series.companionOf ?? series.name {
      tallies[Tally.Key(contender, series.name)] = Tally()
    }
  }

  /// Marks the disturbed rounds. Call it after the last round, because the limits
  /// depend on all rounds.
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

  /// The samples of one peer in one series; `nil` if the peer was not measured.
  package func tally(scenario: String, series: String, peer: String) -> Tally? {
    tallies[Tally.Key(scenario: scenario, series: series, peer: peer)]
  }
}

/// One peer's samples in one series, in total and for each round.
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

  /// The number of samples.
  package var count: UInt64 { histograms.reduce(0) { $0 + $1.count } }

  /// The samples of all rounds.
  ///
  /// - Complexity: O(rounds). Store the result instead of reading this twice.
  package var total: Histogram {
    histograms.reduce(into: Histogram()) { $0.merge($1) }
  }

  /// Marks the disturbed rounds and returns their numbers.
  package mutating func markDisturbed() -> [Int] {
    let filter = NoiseFilter(rounds: rounds)
    for index in rounds.indices { rounds[index].isDisturbed = filter.marks(rounds[index]) }
    return rounds.filter(\.isDisturbed).map(\.round)
  }

  /// The samples of each round, by the round's number.
  var samples: [Int: SparseHistogram] {
    let pairs = zip(rounds.map(\.round), histograms)
    return Dictionary(pairs.map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
  }
}

/// The measurements of one round, in the order of measuring.
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
  /// The number of the round, counted from 1. Warm-up rounds are not listed.
  package let round: Int
  /// The contenders in the order they were measured.
  package let order: [String]
  /// The duration of the round.
  package let wallNs: UInt64
  /// Whether any slice in it was disturbed.
  package let isDisturbed: Bool
  /// The contenders with a disturbed slice: `wake/across/uv`.
  package let disturbed: [String]

  package init(round: Int, order: [String], wallNs: UInt64, disturbed: [String] = []) {
    self.round = round
    self.order = order
    self.wallNs = wallNs
    self.disturbed = disturbed
    isDisturbed = !disturbed.isEmpty
  }

  /// Returns the same round with `names` as its disturbed contenders.
  func marked(_ names: Set<String>) -> RoundSummary {
    RoundSummary(round: round, order: order, wallNs: wallNs, disturbed: names.sorted())
  }
}

/// The measurements of one peer in one series in one round.
package struct SeriesRound: Codable, Equatable, Sendable {
  /// Counted from 1.
  package let round: Int
  /// The number of samples.
  package let count: UInt64
  /// The percentiles in ns, with the keys `"50"`, `"99.9"` and `"max"`. Contains
  /// only percentiles that `count` samples resolve.
  package let percentiles: [String: Double]
  /// Counts that the peer recorded in addition to times; `nil` if there are none.
  package let counts: [String: UInt64]?
  /// The duration of the slice, including warm-up and set-up.
  package let wallNs: UInt64
  /// CPU time of the whole process during the slice.
  package let cpuNs: UInt64
  /// The number of context switches because a thread slept.
  package let ctxVoluntary: UInt64
  /// The number of context switches because a thread was preempted.
  package let ctxInvoluntary: UInt64
  /// The time for which the host gave the machine's CPUs to other guests during the
  /// slice.
  package let stealNs: UInt64
  /// The number of times that a thread moved to another CPU.
  package let migrations: UInt64
  /// Whether steal, migrations or involuntary switches exceeded both a fixed
  /// minimum and 3 times the median of the peer's rounds.
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
  /// The values of the resolved percentiles in ns, rounded to picoseconds, with the
  /// keys of a report.
  package func percentiles(_ percentiles: [Percentile]) -> [String: Double] {
    let pairs = percentiles.filter { $0.isResolved(by: count) }
      .map { ($0.label, value(at: $0).roundedToPicoseconds) }
    return Dictionary(uniqueKeysWithValues: pairs)
  }
}

extension Double {
  /// A number of ns, rounded to the histogram's unit.
  package var roundedToPicoseconds: Double {
    (self * 1000).rounded() / 1000
  }
}

/// Finds disturbed slices. A disturbed slice has far more steal, migrations or
/// involuntary switches than is usual for its contender.
///
/// A slice is compared only with slices of the same contender, because some
/// contenders switch often by design.
package struct NoiseFilter: Sendable {
  private let limits: [(value: @Sendable (SeriesRound) -> UInt64, limit: UInt64)]

  // The kernel counts steal in ticks of 10 ms, and a single tick is not
  // significant. The other minimums are not measured.
  private static let floors: [(value: @Sendable (SeriesRound) -> UInt64, floor: UInt64)] = [
    ({ $0.stealNs }, 10_000_000),
    ({ $0.migrations }, 10),
    ({ $0.ctxInvoluntary }, 20),
  ]

  /// Computes the limits for one contender's rounds. A limit is 3 times the median,
  /// but at least a fixed minimum.
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
