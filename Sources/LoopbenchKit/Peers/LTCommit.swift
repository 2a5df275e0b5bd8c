import LoopTransactions

/// `commit` of a target and a selector, looked up each time.
struct LTCommit: Peer {
  let name = "lt"
  let scenario = "commit"
  let series = CommitLoad.series
  let summary = "EventLoop.commit(target, selector): found by both, performed by the loop's tick"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try LTLoop.with { (loop) throws(PeerFailure) in
      try SwiftCommit.measure(LoopCommits(loop: loop), &slice)
    }
  }
}

private final class LoopCommits: PendingTargets {
  private let loop: EventLoop
  private let selector = CommitTarget.performing

  init(loop: EventLoop) { self.loop = loop }

  func commit(_ target: CommitTarget) { loop.commit(target, selector) }

  func flush() { loop.run(.noWait) }
}

extension CommitTarget {
  /// What the loop performs.
  static let performing = Selector<CommitTarget>("perform") { $0.perform() }
}
