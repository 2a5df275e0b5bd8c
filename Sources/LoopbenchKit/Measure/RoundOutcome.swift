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
