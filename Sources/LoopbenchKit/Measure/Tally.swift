/// One peer's samples in one series: all of them together, and round by round.
package struct Tally: Sendable {
  package struct Key: Hashable, Sendable {
    package let scenario: String
    package let series: String
    package let peer: String

    package var contenderName: String { "\(scenario)/\(series)/\(peer)" }
  }

  package private(set) var total = Histogram()
  package private(set) var rounds: [SeriesRound] = []
  private var histograms: [SparseHistogram] = []
  package private(set) var earlyFires = 0
  package private(set) var missed: UInt64 = 0
  package private(set) var counts: [String: UInt64] = [:]

  package init() {}

  package mutating func add(_ histogram: Histogram, of outcome: SliceOutcome, round: Int) {
    total.merge(histogram)
    earlyFires += outcome.slice.earlyFires
    missed += outcome.slice.missed
    counts.merge(outcome.slice.counts, uniquingKeysWith: +)
    rounds.append(SeriesRound(histogram, of: outcome, round: round))
    histograms.append(SparseHistogram(histogram))
  }

  /// Marks the disturbed rounds, and returns their numbers.
  package mutating func markDisturbed() -> [Int] {
    let disturbance = Disturbance(rounds: rounds)
    for index in rounds.indices { rounds[index].isDisturbed = disturbance.marks(rounds[index]) }
    return rounds.filter(\.isDisturbed).map(\.round)
  }

  /// What the rounds recorded that were not disturbed.
  package var undisturbed: Histogram {
    var histogram = Histogram()
    for (round, samples) in zip(rounds, histograms) where !round.isDisturbed {
      histogram.merge(samples)
    }
    return histogram
  }
}
