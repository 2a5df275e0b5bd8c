extension Report {
  /// What one peer did in one series.
  public struct Result: Codable, Equatable, Sendable {
    /// The scenario's name.
    public let scenario: String
    /// The peer's name.
    public let peer: String
    /// The series' name.
    public let series: String
    /// What the samples are times of.
    public let kind: Series.Kind
    /// Whether it is the first peer measured once more: two names for one thing,
    /// whose difference is noise.
    public let isTwin: Bool
    /// Whether it is there to be compared with: a rule passes it over that names
    /// no peer. `nil` in files of versions that did not say.
    public let isReference: Bool?
    /// The series whose slices recorded this one too; `nil` for one of its own.
    public let companionOf: String?
    /// How many samples a round was to take; `nil` as above.
    public let samplesPerRound: Int?
    /// Always `"ns"`.
    public let unit: String
    /// Samples, over all rounds.
    public let count: UInt64
    /// Operations that started more than a period after they were due, or not at
    /// all: the schedule was not kept.
    public let missed: UInt64
    /// What was counted beside the times: "committed", "performed".
    public let counts: [String: UInt64]
    /// The smallest sample.
    public let min: Double
    /// The largest sample.
    public let max: Double
    /// The mean of the samples.
    public let mean: Double
    /// The standard deviation of the samples.
    public let stddev: Double
    /// Keyed `"50"`, `"99.9"`, `"max"`; those that `count` samples resolve.
    public let percentiles: [String: Double]
    /// The same without the rounds that were disturbed; `nil` when none was.
    public let undisturbed: Undisturbed?
    /// Every sample, to within 0.2 %.
    public let histogram: HistogramData
    /// The same, round by round.
    public let perRound: [SeriesRound]
    /// What its scenario states beside the times, by name. In the JSON each is a key
    /// of the result.
    public let figures: [String: Double]
  }

  /// What one peer did in one series while nothing disturbed it.
  public struct Undisturbed: Codable, Equatable, Sendable {
    /// Rounds.
    public let rounds: Int
    /// Samples.
    public let count: UInt64
    /// Keyed `"50"`, `"99.9"`, `"max"`; those that `count` samples resolve.
    public let percentiles: [String: Double]
  }
}

extension Report.Result {
  init(
    _ tally: Tally,
    of contender: Contender,
    series: Series,
    figures: [String: Double] = [:]
  ) {
    self.figures = figures
    scenario = contender.scenario.name
    peer = contender.peerName
    self.series = series.name
    kind = series.kind
    isTwin = contender.isTwin
    isReference = contender.peer.isReference
    companionOf = series.companionOf
    samplesPerRound = series.effort.samples
    unit = "ns"
    missed = tally.missed
    counts = tally.counts
    let total = tally.total
    histogram = HistogramData(total)
    count = total.count
    min = total.min.roundedToPicoseconds
    max = total.max.roundedToPicoseconds
    mean = total.mean.roundedToPicoseconds
    stddev = total.standardDeviation.roundedToPicoseconds
    percentiles = total.percentiles(Percentile.standard)
    perRound = tally.rounds
    undisturbed = Report.Undisturbed(tally)
  }

  /// Whether any of its rounds was disturbed.
  package var isDisturbed: Bool { perRound.contains(where: \.isDisturbed) }

  /// The value of `percentile` over all rounds, in ns: one of those the file has,
  /// else from its histogram. `nil` where there are too few samples to tell it
  /// from the largest.
  public func value(at percentile: Percentile) -> Double? {
    guard percentile.isResolved(by: count) else { return nil }
    if let value = percentiles[percentile.label] { return value }
    let value = histogram.value(at: percentile, count: count)
    return Swift.min(Swift.max(value, min), max).roundedToPicoseconds
  }

  /// Processor time over wall time, over all rounds.
  package var processorUse: Double? {
    let wall = perRound.reduce(0) { $0 + $1.wallNs }
    let cpu = perRound.reduce(0) { $0 + $1.cpuNs }
    return wall == 0 ? nil : Double(cpu) / Double(wall)
  }
}

extension Report.Undisturbed {
  init?(_ tally: Tally) {
    let left = tally.rounds.filter { !$0.isDisturbed }.count
    guard left < tally.rounds.count else { return nil }
    let samples = tally.undisturbed
    rounds = left
    count = samples.count
    percentiles = samples.percentiles(Percentile.standard)
  }
}
