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
    let targets = CommitTargets(count: CommitLoad.targets)
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
    of targets: CommitTargets,
    in pending: some PendingTargets
  ) -> UInt64 {
    targets.forEach(pending.commit)
    let began = cl_now()
    for _ in 0..<repeats { targets.forEach(pending.commit) }
    let elapsed = cl_now() - began
    pending.flush()
    return elapsed
  }

  @inline(__always)
  private static func first(
    of targets: CommitTargets,
    in pending: some PendingTargets
  ) -> UInt64 {
    let began = cl_now()
    targets.forEach(pending.commit)
    pending.flush()
    return cl_now() - began
  }
}
