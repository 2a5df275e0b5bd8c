private import CLoopbench

/// What a Swift peer of `commit` commits to: targets, or what stands for them.
protocol PendingTargets: AnyObject {
  associatedtype Target: AnyObject

  func commit(_ target: Target)
  /// Performs what is pending, each once.
  func flush()
}

/// Times the two series of `commit`, in the same way for every Swift peer.
enum CommitTiming {
  /// Generic and inlined, so that each peer gets loops of its own.
  @inline(__always)
  static func measure<Pending: PendingTargets>(
    _ pending: Pending,
    _ targets: ObjectList<Pending.Target>,
    _ slice: inout Slice
  ) throws(PeerFailure) {
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
  private static func duplicates<Pending: PendingTargets>(
    _ repeats: Int,
    of targets: ObjectList<Pending.Target>,
    in pending: Pending
  ) -> UInt64 {
    targets.forEach(pending.commit)
    let began = cl_now()
    for _ in 0..<repeats { targets.forEach(pending.commit) }
    let elapsed = cl_now() - began
    pending.flush()
    return elapsed
  }

  @inline(__always)
  private static func first<Pending: PendingTargets>(
    of targets: ObjectList<Pending.Target>,
    in pending: Pending
  ) -> UInt64 {
    let began = cl_now()
    targets.forEach(pending.commit)
    pending.flush()
    return cl_now() - began
  }
}
