/// One peer's samples in one series: all of them together, and round by round.
package struct Tally: Sendable {
  package struct Key: Hashable, Sendable {
    package let scenario: String
    package let series: String
    package let peer: String

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

  /// How many samples there are.
  package var count: UInt64 { histograms.reduce(0) { $0 + $1.count } }

  /// What all rounds recorded.
  ///
  /// - Complexity: O(rounds): keep it.
  package var total: Histogram { merged { _ in true } }

  /// Marks the disturbed rounds, and returns their numbers.
  package mutating func markDisturbed() -> [Int] {
    let disturbance = Disturbance(rounds: rounds)
    for index in rounds.indices { rounds[index].isDisturbed = disturbance.marks(rounds[index]) }
    return rounds.filter(\.isDisturbed).map(\.round)
  }

  /// What the rounds recorded that were not disturbed.
  package var undisturbed: Histogram { merged { !$0.isDisturbed } }

  private func merged(_ isWanted: (SeriesRound) -> Bool) -> Histogram {
    var histogram = Histogram()
    for (round, samples) in zip(rounds, histograms) where isWanted(round) {
      histogram.merge(samples)
    }
    return histogram
  }
}
