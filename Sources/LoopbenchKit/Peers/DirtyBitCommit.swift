/// `commit` with a bit in the target: the floor.
struct DirtyBitCommit: Peer {
  let name = "dirtybit"
  let scenario = "commit"
  let series = CommitLoad.series
  let summary = "a Bool in a Swift target and an array of unretained targets; no loop: the floor"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try SwiftCommit.measure(DirtyBits(), &slice)
  }
}

private final class DirtyBits: PendingTargets {
  @exclusivity(unchecked) private var pending: ContiguousArray<Unmanaged<CommitTarget>> = []
  @exclusivity(unchecked) private var performing: ContiguousArray<Unmanaged<CommitTarget>> = []

  func commit(_ target: CommitTarget) {
    guard !target.isPending else { return }
    target.isPending = true
    pending.append(.passUnretained(target))
  }

  func flush() {
    swap(&pending, &performing)
    for target in performing {
      target._withUnsafeGuaranteedRef { target in
        target.isPending = false
        target.perform()
      }
    }
    performing.removeAll(keepingCapacity: true)
  }
}
