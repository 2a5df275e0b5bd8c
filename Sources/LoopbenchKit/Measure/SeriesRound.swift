/// What one peer did in one series in one round.
public struct SeriesRound: Codable, Equatable, Sendable {
  /// From 1.
  public let round: Int
  /// Samples.
  public let count: UInt64
  /// In ns, keyed `"50"`, `"99.9"`, `"max"`; those that so many samples resolve.
  public let percentiles: [String: Double]
  /// What was counted in it beside the times; `nil` for nothing.
  public let counts: [String: UInt64]?
  /// How long the slice took, warm-up and set-up included.
  public let wallNs: UInt64
  /// Processor time the whole process used in it.
  public let cpuNs: UInt64
  /// Context switches in it: a thread slept.
  public let ctxVoluntary: UInt64
  /// Context switches in it: a thread was taken off its CPU.
  public let ctxInvoluntary: UInt64
  /// Time the host gave the machine's CPUs to others while it ran.
  public let stealNs: UInt64
  /// How often a thread moved to another CPU in it.
  public let migrations: UInt64
  /// Whether steal, migrations or involuntary switches were more than 3 times the
  /// median of the peer's rounds, and more than a few.
  public package(set) var isDisturbed = false

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
