import LoopTransactions
import TestSupport
import Testing

// Hosts of an embedded loop, in tests.
extension Embedding {
  /// Turns until `isOver`, as a host does that asks before it waits; how many turns.
  @discardableResult
  func host(until isOver: () -> Bool) -> Int {
    let end = LoopClock.now.advanced(by: .seconds(20))
    var turns = 0
    while !isOver() {
      guard LoopClock.now < end else {
        Issue.record("the host waited for 20 s")
        return turns
      }
      waitFor(pollDescriptor, min(nextTimeout ?? .seconds(20), .seconds(20)))
      turn()
      turns += 1
    }
    return turns
  }

  /// Turns until the host may wait.
  func settle() {
    for _ in 0..<100 where nextTimeout == .zero { turn() }
    #expect(nextTimeout != .zero, "due for ever")
  }
}
