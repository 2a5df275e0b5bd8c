extension Report {
  /// The result of one peer in one series.
  @dynamicMemberLookup
  package struct Result: Codable, Equatable, Sendable {
    /// The values that every result has.
    let known: Known
    /// The figures of the scenario, by name. In the JSON, each figure is a key of the
    /// result.
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
    /// The kind of time that the samples measure.
    package let kind: Series.Kind
    /// Whether this is an A/A twin, which is the second measurement of another peer
    /// under a different name. The two differ only by noise.
    package let isTwin: Bool
    /// Whether the peer is a reference. A rule applies to a reference only if it
    /// names it.
    package let isReference: Bool
    /// The other series whose slices also recorded this series. Nil if this series
    /// has its own slices.
    package let companionOf: String?
    /// The planned number of samples per round.
    package let samplesPerRound: Int
    /// Always `"ns"`.
    package let unit: String
    /// The number of samples over all rounds.
    package let count: UInt64
    /// The number of operations that started late by more than a period, or never
    /// started.
    package let missed: UInt64
    /// Counters by name: "committed", "performed".
    package let counts: [String: UInt64]
    /// The smallest sample.
    package let min: Double
    /// The largest sample.
    package let max: Double
    /// The mean of the samples.
    package let mean: Double
    /// The standard deviation of the samples.
    package let stddev: Double
    /// The percentiles that `count` samples resolve, by `"50"`, `"99.9"`, `"max"`.
    package let percentiles: [String: Double]
    /// All samples, with an error of at most 0.2 %.
    package let histogram: HistogramData
    /// The values of each round.
    package let perRound: [SeriesRound]
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
    samplesPerRound = series.workload.samples
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
  }

  fileprivate static func has(_ key: String) -> Bool { CodingKeys(stringValue: key) != nil }
}

extension Report.Result {
  init(_ tally: Tally, _ contender: Contender, _ series: Series, _ figures: [String: Double]) {
    known = Known(tally, contender, series)
    self.figures = figures
  }

  /// The value of `percentile` over all rounds in ns, from the file's percentiles or
  /// its histogram. Nil if there are too few samples to distinguish it from the
  /// largest sample.
  package func value(at percentile: Percentile) -> Double? {
    guard percentile.isResolved(by: known.count) else { return nil }
    if let value = known.percentiles[percentile.label] { return value }
    let value = known.histogram.value(at: percentile, count: known.count)
    return Swift.min(Swift.max(value, known.min), known.max).roundedToPicoseconds
  }

  /// CPU time divided by wall time, over all rounds.
  package var processorUse: Double? {
    let wall = known.perRound.reduce(0) { $0 + $1.wallNs }
    let cpu = known.perRound.reduce(0) { $0 + $1.cpuNs }
    return wall == 0 ? nil : Double(cpu) / Double(wall)
  }
}

// Codable is not synthesized, because the keys of a result include figures, whose
// names depend on the scenario.
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
      // try?: an unknown key, from a later version, need not have a number as its
      // value.
      figures[key.stringValue] = try? own.decode(Double.self, forKey: key)
    }
  }
}
