private import CLoopbench
import LoopTransactions

/// `commit` through transactions that are kept.
struct LTKeptCommit: Peer {
  let name = "lt.kept"
  let scenario = "commit"
  let series = CommitLoad.series
  let summary = "Transaction.commit() on transactions that are kept: a pending bit, no look-up"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try LTLoop.with { (loop) throws(PeerFailure) in try measure(on: loop, &slice) }
  }

  private func measure(on loop: EventLoop, _ slice: inout Slice) throws(PeerFailure) {
    let targets = CommitTargets(count: CommitLoad.targets)
    let kept = ObjectList(
      targets.all.map { Transaction($0, CommitTarget.performing, on: loop) })
    switch slice.series {
    case "duplicate":
      slice.sample { operations in duplicates(operations / kept.count, of: kept, on: loop) }
    case "first": slice.sample { _ in first(of: kept, on: loop) }
    default: throw slice.unknownSeries
    }
    withExtendedLifetime(targets) {}
  }

  private func duplicates(
    _ repeats: Int, of kept: ObjectList<Transaction>, on loop: EventLoop
  ) -> UInt64 {
    kept.forEach { $0.commit() }
    let began = cl_now()
    for _ in 0..<repeats { kept.forEach { $0.commit() } }
    let elapsed = cl_now() - began
    loop.run(.noWait)
    return elapsed
  }

  private func first(of kept: ObjectList<Transaction>, on loop: EventLoop) -> UInt64 {
    let began = cl_now()
    kept.forEach { $0.commit() }
    loop.run(.noWait)
    return cl_now() - began
  }
}
