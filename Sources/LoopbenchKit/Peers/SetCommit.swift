/// `commit` with a Swift `Set` of a struct key.
struct SetCommit: Peer {
  let name = "set"
  let scenario = "commit"
  let series = CommitLoad.series
  let isReference = true
  let summary = "a Swift Set of (target, selector), swapped out and performed; no loop"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try CommitTiming.measure(PendingSet(), .commitTargets(), &slice)
  }
}

private final class PendingSet: PendingTargets {
  @exclusivity(unchecked) private var pending: Set<Key> = []
  @exclusivity(unchecked) private var performing: Set<Key> = []

  func commit(_ target: CommitTarget) {
    pending.insert(Key(target: target, selector: 1))
  }

  // Two sets that keep their memory: a new one each tick is slower.
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
