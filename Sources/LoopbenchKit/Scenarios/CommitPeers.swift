private import CLoopbench
import LoopTransactions

/// `commit` in C on libuv.
struct UVCommit: FullPeer {
  let name = "uv"
  let scenario = "commit"
  let isReference = true
  let summary = "C on libuv: a flag in the target, an array, performed in a prepare callback"

  func measure(_ slice: inout Slice) throws(PeerError) {
    guard let peer = cl_uv_commit_open(UInt32(CommitLoad.targets(in: slice))) else { throw .noLoop }
    defer { cl_uv_commit_close(peer) }
    switch slice.series {
    case "duplicate":
      slice.sample { _ in cl_uv_commit_duplicates(peer, UInt32(CommitLoad.repeats)) }
    case "first": slice.sample { _ in cl_uv_commit_first(peer) }
    default: throw slice.unknownSeries
    }
  }
}

/// `commit` on an `EventLoop`, which looks up each commit by target and selector.
struct LTCommit: FullPeer {
  let name = "lt"
  let scenario = "commit"
  let summary = "EventLoop.commit: looks up (target, selector), performed by a tick of the loop"

  func measure(_ slice: inout Slice) throws(PeerError) {
    try EventLoop.measuring { (loop) throws(PeerError) in
      try CommitTiming.measure(loop, .commitTargets(for: slice), &slice)
    }
  }
}

extension EventLoop: PendingTargets {
  func commit(_ target: CommitTarget) {
    commit(target, CommitTarget.perform)
  }

  func flush() {
    run(.noWait)
  }
}

/// `commit` on an `EventLoop`, with one `Transaction` kept for each target.
struct LTKeptCommit: FullPeer {
  let name = "lt.kept"
  let scenario = "commit"
  let summary = "Transaction.commit: one kept for each target, performed by a tick of the loop"

  func measure(_ slice: inout Slice) throws(PeerError) {
    try EventLoop.measuring { (loop) throws(PeerError) in
      let targets = ObjectList.commitTargets(for: slice)
      let transactions = ObjectList(count: targets.count) { index in
        Transaction(targets[index], CommitTarget.perform, on: loop)
      }
      try CommitTiming.measure(KeptCommits(loop: loop), transactions, &slice)
      // A transaction does not retain its target.
      withExtendedLifetime(targets) {}
    }
  }
}

private struct KeptCommits: PendingTargets {
  let loop: EventLoop

  func commit(_ transaction: Transaction) {
    transaction.commit()
  }

  func flush() {
    loop.flush()
  }
}

/// `commit` with a Swift `Set` whose key is a struct.
struct SetCommit: FullPeer {
  let name = "set"
  let scenario = "commit"
  let isReference = true
  let summary = "a Swift Set of (target, selector), swapped out and performed; no loop"

  func measure(_ slice: inout Slice) throws(PeerError) {
    try CommitTiming.measure(PendingSet(), .commitTargets(for: slice), &slice)
  }
}

private final class PendingSet: PendingTargets {
  @exclusivity(unchecked) private var pending: Set<Key> = []
  @exclusivity(unchecked) private var performing: Set<Key> = []

  func commit(_ target: CommitTarget) {
    pending.insert(Key(target: target, selector: 1))
  }

  // The two sets keep their memory. Making a new set in each tick is slower.
  func flush() {
    swap(&pending, &performing)
    for key in performing { key.target.perform() }
    performing.removeAll(keepingCapacity: true)
  }

  private struct Key: Hashable {
    let target: CommitTarget
    let selector: Int

    static func == (first: Key, second: Key) -> Bool {
      first.target === second.target && first.selector == second.selector
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(ObjectIdentifier(target))
      hasher.combine(selector)
    }
  }
}

/// `commit` with a bit in each target. It is the floor, the minimum that other
/// peers are compared with.
struct DirtyBitCommit: FullPeer {
  let name = "dirtybit"
  let scenario = "commit"
  let isReference = true
  let summary = "a Bool in a Swift target and an array of unretained targets; no loop: the floor"

  func measure(_ slice: inout Slice) throws(PeerError) {
    try CommitTiming.measure(DirtyBits(), .commitTargets(for: slice), &slice)
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

/// An array without `Array`'s checks, which cost 4 ns per append in this peer.
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
