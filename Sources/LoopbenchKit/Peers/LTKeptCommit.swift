import LoopTransactions

/// `commit` on an `EventLoop`, through a `Transaction` that is kept.
struct LTKeptCommit: Peer {
  let name = "lt.kept"
  let scenario = "commit"
  let series = CommitLoad.series
  let summary = "Transaction.commit: one kept for each target, performed by a tick of the loop"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try EventLoop.measuring { (loop) throws(PeerFailure) in
      let targets = ObjectList.commitTargets()
      let transactions = ObjectList(count: targets.count) { index in
        Transaction(targets[index], CommitTarget.perform, on: loop)
      }
      try CommitTiming.measure(KeptCommits(loop: loop), transactions, &slice)
      // A transaction does not keep its target.
      withExtendedLifetime(targets) {}
    }
  }
}

private final class KeptCommits: PendingTargets {
  private let loop: EventLoop

  init(loop: EventLoop) {
    self.loop = loop
  }

  func commit(_ transaction: Transaction) {
    transaction.commit()
  }

  func flush() {
    loop.run(.noWait)
  }
}
