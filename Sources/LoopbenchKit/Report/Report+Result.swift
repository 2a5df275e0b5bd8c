extension Report {
  /// What one peer did in one series.
  public struct Result: Codable, Equatable, Sendable {
    /// The scenario's name.
    public let scenario: String
    /// The peer's name.
    public let peer: String
    /// The series' name.
    public let series: String
    /// Always `"ns"`.
    public let unit: String
    /// Samples, over all rounds.
    public let count: UInt64
    /// The smallest sample.
    public let min: Double
    /// The largest sample.
    public let max: Double
    /// The mean of the samples.
    public let mean: Double
    /// The standard deviation of the samples.
    public let stddev: Double
    /// Keyed `"50"`, `"99.9"`, `"max"`.
    public let percentiles: [String: Double]
    /// The same, round by round.
    public let perRound: [SeriesRound]
  }
}

extension Report.Result {
  init(_ tally: Tally, scenario: Scenario, series: Series, peer: any Peer) {
    self.scenario = scenario.name
    self.peer = peer.name
    self.series = series.name
    unit = "ns"
    count = tally.total.count
    min = tally.total.min.roundedToPicoseconds
    max = tally.total.max.roundedToPicoseconds
    mean = tally.total.mean.roundedToPicoseconds
    stddev = tally.total.standardDeviation.roundedToPicoseconds
    percentiles = tally.total.percentiles(Percentile.standard)
    perRound = tally.rounds
  }

  /// The value of `percentile` over all rounds; 0 where a file has none.
  package func value(at percentile: Percentile) -> Double {
    percentiles[percentile.label] ?? 0
  }

  /// Processor time over wall time, over all rounds.
  package var processorUse: Double? {
    let wall = perRound.reduce(0) { $0 + $1.wallNs }
    let cpu = perRound.reduce(0) { $0 + $1.cpuNs }
    return wall == 0 ? nil : Double(cpu) / Double(wall)
  }
}
