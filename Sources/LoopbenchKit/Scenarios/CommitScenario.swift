private import CLoopbench
import LoopTransactions

extension Scenario {
  /// Committing a target and an action, which is performed once per tick.
  package static let commit = Scenario(
    name: "commit",
    summary: "commit a target and its action, performed once per tick; a sample is a batch's mean",
    series: [
      Series(
        name: "duplicate",
        summary: "1000 pending targets, each committed again 10 times: ns per commit",
        workload: Workload(
          warmUps: 3,
          samples: 40,
          operations: CommitLoad.targets * CommitLoad.repeats
        )
      ),
      Series(
        name: "first",
        summary: "1000 targets, committed and performed in one tick: ns per commit",
        workload: Workload(warmUps: 10, samples: 100, operations: CommitLoad.targets)
      ),
    ],
    references: ["uv", "set", "dirtybit", "hand"],
    floors: ["set", "dirtybit", "hand"],
    details: """
      A tick of the loop performs each committed target once, however often it was committed. `first`
      times the commits and the tick. `duplicate` times only commits of targets that are already
      pending.

        loop   commit 1 … commit 1000 │ tick: perform 1 … perform 1000
        first  ├──────────────────────┴──────────────────────────────┤  divided by 1000

        loop   1000 pending │ commit 1 … commit 1000, ten times │ tick
        duplicate           ├───────────────────────────────────┤     divided by 10000

      Everything happens on the loop's thread, without a wake. The peers `set`, `dirtybit` and `hand`
      do not run a loop. They show the cost of the bookkeeping alone.
      """
  )
}

/// The load that every `commit` peer measures.
package enum CommitLoad {
  /// The number of distinct targets.
  package static let targets = 1000

  /// The number of times that `duplicate` commits each of them.
  static let repeats = 10

  /// The number of distinct targets in `slice`.
  static func targets(in slice: Slice) -> Int {
    slice.workload.operations / (slice.series == "duplicate" ? repeats : 1)
  }
}

/// The pending targets of a Swift peer of `commit`.
protocol PendingTargets {
  associatedtype Target: AnyObject

  func commit(_ target: Target)
  /// Performs each pending target once.
  func flush()
}

/// Times the two series of `commit` in the same way for every Swift peer.
enum CommitTiming {
  /// This function is generic and always inlined, so that the compiler specializes
  /// its loops for each peer.
  @inline(__always)
  static func measure<Pending: PendingTargets>(
    _ pending: Pending,
    _ targets: ObjectList<Pending.Target>,
    _ slice: inout Slice
  ) throws(PeerError) {
    switch slice.series {
    case "duplicate":
      slice.sample { operations in
        let repeats = operations / targets.count
        targets.forEach(pending.commit)
        let began = cl_now()
        for _ in 0..<repeats { targets.forEach(pending.commit) }
        let elapsed = cl_now() - began
        pending.flush()
        return elapsed
      }
    case "first":
      slice.sample { _ in
        let began = cl_now()
        targets.forEach(pending.commit)
        pending.flush()
        return cl_now() - began
      }
    default: throw slice.unknownSeries
    }
  }
}

/// The target that the Swift peers of `commit` commit.
///
/// Its properties are not checked for exclusive access. That check costs several
/// times as much as a commit, so the reference peers would be too slow with it.
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
  /// Makes the targets that a Swift peer of `commit` commits.
  static func commitTargets(for slice: Slice) -> ObjectList {
    ObjectList(count: CommitLoad.targets(in: slice)) { _ in CommitTarget() }
  }
}
