private import CLoopbench

/// A set of pending targets in Swift, without a loop.
protocol PendingTargets: AnyObject {
  func commit(_ target: CommitTarget)
  /// Performs what is pending, each once.
  func flush()
}

/// Times the two series of `commit` on a set of pending targets.
enum SwiftCommit {
  /// Generic and inlined, so that each set gets loops of its own.
  @inline(__always)
  static func measure(
    _ pending: some PendingTargets,
    _ slice: inout Slice
  ) throws(PeerFailure) {
    let targets = CommitTarget.make(CommitLoad.targets)
    switch slice.series {
    case "duplicate":
      slice.sample { operations in
        duplicates(operations / targets.count, of: targets, in: pending)
      }
    case "first": slice.sample { _ in first(of: targets, in: pending) }
    default: throw slice.unknownSeries
    }
  }

  @inline(__always)
  private static func duplicates(
    _ repeats: Int,
    of targets: ContiguousArray<CommitTarget>,
    in pending: some PendingTargets
  ) -> UInt64 {
    for target in targets { pending.commit(target) }
    let began = cl_now()
    for _ in 0..<repeats {
      for target in targets { pending.commit(target) }
    }
    let elapsed = cl_now() - began
    pending.flush()
    return elapsed
  }

  @inline(__always)
  private static func first(
    of targets: ContiguousArray<CommitTarget>,
    in pending: some PendingTargets
  ) -> UInt64 {
    let began = cl_now()
    for target in targets { pending.commit(target) }
    pending.flush()
    return cl_now() - began
  }
}
