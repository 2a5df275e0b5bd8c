/// `commit` with a bit in the target: the floor.
struct DirtyBitCommit: Peer {
  let name = "dirtybit"
  let scenario = "commit"
  let series = CommitLoad.series
  let isReference = true
  let summary = "a Bool in a Swift target and an array of unretained targets; no loop: the floor"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try CommitTiming.measure(DirtyBits(), .commitTargets(), &slice)
  }
}

private final class DirtyBits: PendingTargets {
  @exclusivity(unchecked) private var pending = TargetList()
  @exclusivity(unchecked) private var performing = TargetList()

  func commit(_ target: CommitTarget) {
    guard !target.isPending else { return }
    target.isPending = true
    pending.append(target)
  }

  func flush() {
    swap(&pending, &performing)
    for index in 0..<performing.count {
      performing[index]._withUnsafeGuaranteedRef { target in
        target.isPending = false
        target.perform()
      }
    }
    performing.count = 0
  }

  deinit {
    pending.deallocate()
    performing.deallocate()
  }
}

/// An array without what an `Array` checks: 4 ns an append here.
private struct TargetList {
  var count = 0
  private var capacity = 16
  private var items = UnsafeMutablePointer<Unmanaged<CommitTarget>>.allocate(capacity: 16)

  subscript(index: Int) -> Unmanaged<CommitTarget> { items[index] }

  mutating func append(_ target: CommitTarget) {
    if count == capacity { grow() }
    (items + count).initialize(to: .passUnretained(target))
    count += 1
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Unmanaged<CommitTarget>>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: items, count: count)
    items.deallocate()
    items = larger
    capacity *= 2
  }

  func deallocate() {
    items.deallocate()
  }
}
