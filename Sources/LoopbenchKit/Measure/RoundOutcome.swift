/// What every contender did in one round, in the order they were measured in.
package struct RoundOutcome: Sendable {
  package let round: Int
  package let slices: [SliceOutcome]
  package let wallNs: UInt64

  package init(round: Int, slices: [SliceOutcome], wallNs: UInt64) {
    self.round = round
    self.slices = slices
    self.wallNs = wallNs
  }
}

extension RoundOutcome {
  /// Samples of the contender that has the fewest, by what it measures itself.
  package var fewestSamples: UInt64 {
    slices.map { $0.recorded[$0.contender.series.name]?.count ?? 0 }.min() ?? 0
  }
}
