/// The rounds that two peers have both, with their values at one percentile.
struct RoundPairs {
  /// The peer's value over the other's, round by round.
  let ratios: [Double]
  /// The peer's value less the other's, in ns.
  let differences: [Double]

  /// - Parameter dropping: Whether a round counts in which either was disturbed.
  init(
    _ result: Report.Result,
    with other: Report.Result,
    at percentile: Percentile,
    dropping: Bool
  ) {
    let values = result.values(at: percentile, dropping: dropping)
    let base = Dictionary(
      other.values(at: percentile, dropping: dropping).map { ($0.round, $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
    let pairs = values.compactMap { round, value in
      base[round].flatMap { $0 > 0 ? (value: value, base: $0) : nil }
    }
    ratios = pairs.map { ($0.value / $0.base).roundedToMillionths }
    differences = pairs.map { ($0.value - $0.base).roundedToPicoseconds }
  }
}

extension Report.Result {
  /// The value of `percentile` in each round whose samples resolve it.
  package func values(
    at percentile: Percentile,
    dropping: Bool
  ) -> [(round: Int, value: Double)] {
    perRound.filter {
      !(dropping && $0.isDisturbed) && percentile.isResolved(by: $0.count)
    }.compactMap { round in
      round.percentiles[percentile.label].map { (round.round, $0) }
    }
  }
}
