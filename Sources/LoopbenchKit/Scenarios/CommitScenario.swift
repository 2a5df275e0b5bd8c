private import CLoopbench
import LoopTransactions

extension Scenario {
  /// Handing a target and an action over, to be performed once per tick.
  package static let commit = Scenario(
    name: "commit",
    summary: "hand over a target and its action, performed once a tick; a sample is a batch's mean",
    series: [
      Series(
        name: "duplicate",
        summary: "1000 pending targets, each committed again 10 times: ns per commit",
        effort: Effort(warmUps: 3, samples: 40, operations: CommitLoad.targets * 10)
      ),
      Series(
        name: "first",
        summary: "1000 targets, committed and performed in one tick: ns per commit",
        effort: Effort(warmUps: 10, samples: 100, operations: CommitLoad.targets)
      ),
    ],
    references: ["uv", "set", "dirtybit"],
    details: """
      A tick of the loop performs what was committed before, each target once, however often it was
      committed. `first` times the whole way; `duplicate` only the commits that find their target
      waiting already.

        loop   commit 1 … commit 1000 │ tick: perform 1 … perform 1000
        first  ├──────────────────────┴──────────────────────────────┤  divided by 1000

        loop   1000 wait │ commit 1 … commit 1000, ten times over │ tick
        duplicate        ├────────────────────────────────────────┤     divided by 10000

      The loop's thread does all of it: no other thread, no wake. Peers `set` and `dirtybit` do not
      run a loop; they are what the book-keeping alone costs.
      """
  )
}

/// What every `commit` peer commits.
package enum CommitLoad {
  /// Distinct targets.
  package static let targets = 1000
  /// The series every peer of the scenario has.
  package static let series = ["duplicate", "first"]
}

/// What a Swift peer of `commit` commits to: targets, or what stands for them.
protocol PendingTargets {
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

/// What the Swift peers of `commit` perform.
///
/// Its properties are not checked for exclusive access: the check costs several
/// times what is measured, and a baseline must not be slower than it has to be.
final class CommitTarget {
  static let perform = Selector<CommitTarget>("perform") { $0.perform() }

  @exclusivity(unchecked) var isPending = false
  @exclusivity(unchecked) private(set) var performed = 0

  @inline(never)
  func perform() {
    performed += 1
  }
}

extension ObjectList where Object == CommitTarget {
  /// The targets that every Swift peer of `commit` commits.
  static func commitTargets() -> ObjectList {
    ObjectList(count: CommitLoad.targets) { _ in CommitTarget() }
  }
}
