extension Report {
  /// What measuring one peer twice in the same rounds gave: a smaller difference
  /// between two peers, or two runs, is noise.
  public struct Noise: Codable, Equatable, Sendable {
    /// The scenario's name.
    public let scenario: String
    /// The series' name.
    public let series: String
    /// The peer that was measured twice.
    public let peer: String
    /// Keyed as in a result: `"50"`.
    public let percentile: String
    /// How many rounds had both.
    public let rounds: Int
    /// The 95 % interval of the median, over rounds, of the second measurement
    /// over the first.
    public let interval: Interval
  }
}

extension Report.Noise {
  /// `nil` when no round has both.
  init?(
    _ twin: Report.Result,
    of original: Report.Result,
    at percentile: Percentile,
    dropping: Bool
  ) {
    let pairs = RoundPairs(twin, with: original, at: percentile, dropping: dropping)
    guard let interval = Bootstrap.median(of: pairs.ratios) else { return nil }
    scenario = original.scenario
    series = original.series
    peer = original.peer
    self.percentile = percentile.label
    rounds = pairs.ratios.count
    self.interval = interval.rounded
  }
}

extension Report {
  /// The noise floor of a percentile; `nil` where nothing was measured twice.
  package func noise(scenario: String, series: String, percentile: String) -> Noise? {
    noise.first { ($0.scenario, $0.series, $0.percentile) == (scenario, series, percentile) }
  }

  static func noise(of results: [Result], dropping: Bool) -> [Noise] {
    results.filter(\.isTwin).flatMap { twin in
      let original = results.first {
        ($0.scenario, $0.series, $0.peer + Contender.twinSuffix)
          == (twin.scenario, twin.series, twin.peer)
      }
      return Percentile.standard.compactMap { percentile in
        original.flatMap { Noise(twin, of: $0, at: percentile, dropping: dropping) }
      }
    }
  }
}
