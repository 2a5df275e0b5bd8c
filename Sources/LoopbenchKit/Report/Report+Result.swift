extension Report {
  /// What one peer did in one series.
  package struct Result: Codable, Equatable, Sendable {
    /// The scenario's name.
    package let scenario: String
    /// The peer's name.
    package let peer: String
    /// The series' name.
    package let series: String
    /// What the samples are times of.
    package let kind: Series.Kind
    /// Whether it is the first peer measured once more: two names for one thing,
    /// whose difference is noise.
    package let isTwin: Bool
    /// Whether it is there to be compared with: a rule passes it over that names
    /// no peer. `nil` in files of versions that did not say.
    package let isReference: Bool?
    /// The series whose slices recorded this one too; `nil` for one of its own.
    package let companionOf: String?
    /// How many samples a round was to take; `nil` as above.
    package let samplesPerRound: Int?
    /// Always `"ns"`.
    package let unit: String
    /// Samples, over all rounds.
    package let count: UInt64
    /// Operations that started more than a period after they were due, or not at
    /// all: the schedule was not kept.
    package let missed: UInt64
    /// What was counted beside the times: "committed", "performed".
    package let counts: [String: UInt64]
    /// The smallest sample.
    package let min: Double
    /// The largest sample.
    package let max: Double
    /// The mean of the samples.
    package let mean: Double
    /// The standard deviation of the samples.
    package let stddev: Double
    /// Keyed `"50"`, `"99.9"`, `"max"`; those that `count` samples resolve.
    package let percentiles: [String: Double]
    /// The same without the rounds that were disturbed; `nil` when none was.
    package let undisturbed: Undisturbed?
    /// Every sample, to within 0.2 %.
    package let histogram: HistogramData
    /// The same, round by round.
    package let perRound: [SeriesRound]
    /// What its scenario states beside the times, by name. In the JSON each is a key
    /// of the result.
    package let figures: [String: Double]
  }

  /// What one peer did in one series while nothing disturbed it.
  package struct Undisturbed: Codable, Equatable, Sendable {
    /// Rounds.
    package let rounds: Int
    /// Samples.
    package let count: UInt64
    /// Keyed `"50"`, `"99.9"`, `"max"`; those that `count` samples resolve.
    package let percentiles: [String: Double]
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
  package func value(at percentile: Percentile) -> Double? {
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

// By hand: figures stand beside the keys that every result has, under names that only
// their scenario knows.
extension Report.Result {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private enum Known: String, CodingKey, CaseIterable {
    case scenario, peer, series, kind, isTwin, isReference, companionOf, samplesPerRound, unit
    case count, missed, counts, min, max, mean, stddev, percentiles, undisturbed, histogram
    case perRound
  }

  /// Writes it, its figures beside the rest.
  package func encode(to encoder: any Encoder) throws {
    var all = encoder.container(keyedBy: Known.self)
    try all.encode(scenario, forKey: .scenario)
    try all.encode(peer, forKey: .peer)
    try all.encode(series, forKey: .series)
    try all.encode(kind, forKey: .kind)
    try all.encode(isTwin, forKey: .isTwin)
    try all.encodeIfPresent(isReference, forKey: .isReference)
    try all.encodeIfPresent(companionOf, forKey: .companionOf)
    try all.encodeIfPresent(samplesPerRound, forKey: .samplesPerRound)
    try all.encode(unit, forKey: .unit)
    try all.encode(count, forKey: .count)
    try all.encode(missed, forKey: .missed)
    try all.encode(counts, forKey: .counts)
    try all.encode(min, forKey: .min)
    try all.encode(max, forKey: .max)
    try all.encode(mean, forKey: .mean)
    try all.encode(stddev, forKey: .stddev)
    try all.encode(percentiles, forKey: .percentiles)
    try all.encodeIfPresent(undisturbed, forKey: .undisturbed)
    try all.encode(histogram, forKey: .histogram)
    try all.encode(perRound, forKey: .perRound)
    var own = encoder.container(keyedBy: Key.self)
    for (name, value) in figures { try own.encode(value, forKey: Key(stringValue: name)) }
  }

  /// Reads it; a number under a key that is not known is a figure.
  package init(from decoder: any Decoder) throws {
    let all = try decoder.container(keyedBy: Known.self)
    scenario = try all.decode(String.self, forKey: .scenario)
    peer = try all.decode(String.self, forKey: .peer)
    series = try all.decode(String.self, forKey: .series)
    kind = try all.decode(Series.Kind.self, forKey: .kind)
    isTwin = try all.decode(Bool.self, forKey: .isTwin)
    isReference = try all.decodeIfPresent(Bool.self, forKey: .isReference)
    companionOf = try all.decodeIfPresent(String.self, forKey: .companionOf)
    samplesPerRound = try all.decodeIfPresent(Int.self, forKey: .samplesPerRound)
    unit = try all.decode(String.self, forKey: .unit)
    count = try all.decode(UInt64.self, forKey: .count)
    missed = try all.decode(UInt64.self, forKey: .missed)
    counts = try all.decode([String: UInt64].self, forKey: .counts)
    min = try all.decode(Double.self, forKey: .min)
    max = try all.decode(Double.self, forKey: .max)
    mean = try all.decode(Double.self, forKey: .mean)
    stddev = try all.decode(Double.self, forKey: .stddev)
    percentiles = try all.decode([String: Double].self, forKey: .percentiles)
    undisturbed = try all.decodeIfPresent(Report.Undisturbed.self, forKey: .undisturbed)
    histogram = try all.decode(HistogramData.self, forKey: .histogram)
    perRound = try all.decode([SeriesRound].self, forKey: .perRound)
    let own = try decoder.container(keyedBy: Key.self)
    var figures: [String: Double] = [:]
    for key in own.allKeys where Known(stringValue: key.stringValue) == nil {
      // try?: what a later version adds need not be a number.
      if let value = try? own.decode(Double.self, forKey: key) {
        figures[key.stringValue] = value
      }
    }
    self.figures = figures
  }
}
