/// What one contender did in one round.
package struct SliceOutcome: Sendable {
  package let contender: Contender
  package let slice: Slice
  package let wallNs: UInt64
  package let usage: ResourceUse
}
