extension Report {
  /// What one peer did in one series.
  @dynamicMemberLookup
  package struct Result: Codable, Equatable, Sendable {
    /// What every result has.
    let known: Known
    /// What its scenario states beside the times, by name. In the JSON each is a key
    /// of the result.
    package let figures: [String: Double]

    package subscript<Value>(dynamicMember path: KeyPath<Known, Value>) -> Value {
      known[keyPath: path]
    }
  }
}

extension Report.Result {
  package struct Known: Codable, Equatable, Sendable {
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
    package let undisturbed: Report.Undisturbed?
    /// Every sample, to within 0.2 %.
    package let histogram: HistogramData
    /// The same, round by round.
    package let perRound: [SeriesRound]
  }
}

extension Report {
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

extension Report.Result.Known {
  fileprivate init(_ tally: Tally, _ contender: Contender, _ series: Series) {
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

  fileprivate static func has(_ key: String) -> Bool { CodingKeys(stringValue: key) != nil }
}

extension Report.Result {
  init(_ tally: Tally, _ contender: Contender, _ series: Series, _ figures: [String: Double]) {
    known = Known(tally, contender, series)
    self.figures = figures
  }

  /// Whether any of its rounds was disturbed.
  package var isDisturbed: Bool { known.perRound.contains(where: \.isDisturbed) }

  /// The value of `percentile` over all rounds, in ns: one of those the file has,
  /// else from its known.histogram. `nil` where there are too few samples to tell it
  /// from the largest.
  package func value(at percentile: Percentile) -> Double? {
    guard percentile.isResolved(by: known.count) else { return nil }
    if let value = known.percentiles[percentile.label] { return value }
    let value = known.histogram.value(at: percentile, count: known.count)
    return Swift.min(Swift.max(value, known.min), known.max).roundedToPicoseconds
  }

  /// Processor time over wall time, over all rounds.
  package var processorUse: Double? {
    let wall = known.perRound.reduce(0) { $0 + $1.wallNs }
    let cpu = known.perRound.reduce(0) { $0 + $1.cpuNs }
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

  package func encode(to encoder: any Encoder) throws {
    try known.encode(to: encoder)
    var own = encoder.container(keyedBy: Key.self)
    for (name, value) in figures { try own.encode(value, forKey: Key(stringValue: name)) }
  }

  package init(from decoder: any Decoder) throws {
    known = try Known(from: decoder)
    let own = try decoder.container(keyedBy: Key.self)
    figures = own.allKeys.reduce(into: [:]) { figures, key in
      guard !Known.has(key.stringValue) else { return }
      // try?: what a later version adds need not be a number.
      figures[key.stringValue] = try? own.decode(Double.self, forKey: key)
    }
  }
}
