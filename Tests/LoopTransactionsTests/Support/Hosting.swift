import LoopTransactions
import TestSupport
import Testing

// MARK: Hosts of an embedded loop
extension Embedding {
  /// Runs turns until `isOver` returns true. Like a host, asks for the timeout
  /// before it waits. Returns the number of turns.
  @discardableResult
  func host(until isOver: () -> Bool) -> Int {
    let end = LoopClock.now.advanced(by: .seconds(600))
    var turns = 0
    while !isOver() {
      guard LoopClock.now < end else {
        Issue.record("the host did not finish within ten minutes")
        return turns
      }
      waitFor(pollDescriptor, min(nextTimeout ?? .seconds(600), .seconds(600)))
      turn()
      turns += 1
    }
    return turns
  }

  /// Runs turns until the host may wait.
  func settle() {
    for _ in 0..<100 where nextTimeout == .zero { turn() }
    #expect(nextTimeout != .zero, "still due after 100 turns")
  }
}
