/// What one contender did in one round.
package struct SliceOutcome: Sendable {
  package let contender: Contender
  /// By series. Not as they were recorded: a round of dense ones takes 10 MB.
  package let recorded: [String: SparseHistogram]
  package let earlyFires: Int
  package let missed: UInt64
  package let counts: [String: UInt64]
  package let wallNs: UInt64
  /// Empty unless it was traced.
  package let spans: [TraceSpan]
  package let usage: ResourceUse

  package init(contender: Contender, slice: Slice, wallNs: UInt64, usage: ResourceUse) {
    self.contender = contender
    recorded = slice.recorded.mapValues { SparseHistogram($0) }
    earlyFires = slice.earlyFires
    missed = slice.missed
    counts = slice.counts
    spans = slice.spans ?? []
    self.wallNs = wallNs
    self.usage = usage
  }
}
