import LoopTransactions

/// `commit` on an `EventLoop`, each commit looked up by target and selector.
struct LTCommit: Peer {
  let name = "lt"
  let scenario = "commit"
  let series = CommitLoad.series
  let summary = "EventLoop.commit: looks up (target, selector), performed by a tick of the loop"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try EventLoop.measuring { (loop) throws(PeerFailure) in
      try CommitTiming.measure(LoopCommits(loop: loop), .commitTargets(), &slice)
    }
  }
}

private final class LoopCommits: PendingTargets {
  private let loop: EventLoop

  init(loop: EventLoop) {
    self.loop = loop
  }

  func commit(_ target: CommitTarget) {
    loop.commit(target, CommitTarget.perform)
  }

  func flush() {
    loop.run(.noWait)
  }
}
