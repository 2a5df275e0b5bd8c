extension Report {
  /// One percentile of one peer against that of a reference.
  ///
  /// Each round gives one ratio and one difference; what moved from round to
  /// round moved for both and cancels out.
  public struct Comparison: Codable, Equatable, Sendable {
    /// The scenario's name.
    public let scenario: String
    /// The series' name.
    public let series: String
    /// The peer's name.
    public let peer: String
    /// The peer it is compared with.
    public let reference: String
    /// Keyed as in a result: `"50"`.
    public let percentile: String
    /// How many rounds had both.
    public let rounds: Int
    /// Over the rounds: the peer's value over the reference's.
    public let ratio: Spread
    /// Over the rounds: the peer's value less the reference's, in ns.
    public let difference: Spread
  }

  /// The percentiles that are compared.
  package static let compared: [Percentile] = [.p50, .p99]
}

extension Report.Comparison {
  /// `nil` when no round has both.
  init?(_ result: Report.Result, with reference: Report.Result, at percentile: Percentile) {
    let base = Dictionary(
      reference.perRound.map { ($0.round, $0.percentiles[percentile.label] ?? 0) },
      uniquingKeysWith: { first, _ in first }
    )
    let pairs = result.perRound.compactMap { round -> (value: Double, base: Double)? in
      guard let base = base[round.round], base > 0 else { return nil }
      return round.percentiles[percentile.label].map { ($0, base) }
    }
    guard
      let ratio = Spread(of: pairs.map { Self.ratio($0.value, $0.base) }),
      let difference = Spread(of: pairs.map { ($0.value - $0.base).roundedToPicoseconds })
    else { return nil }
    scenario = result.scenario
    series = result.series
    peer = result.peer
    self.reference = reference.peer
    self.percentile = percentile.label
    rounds = pairs.count
    self.ratio = ratio
    self.difference = difference
  }

  /// To six digits: what is beyond them is noise in a file.
  private static func ratio(_ value: Double, _ base: Double) -> Double {
    (value / base * 1_000_000).rounded() / 1_000_000
  }
}
