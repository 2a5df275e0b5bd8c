/// `commit` by hand, with the same table and order as an `EventLoop`: targets of any class, in
/// commit order, each retained until its action has returned.
struct HandCommit: FullPeer {
  let name = "hand"
  let scenario = "commit"
  let isReference = true
  let isStandard = false
  let summary =
    "Swift: a hash table of (target, selector), retained targets in commit order; no loop: a floor"

  func measure(_ slice: inout Slice) throws(PeerError) {
    let targets = ObjectList.commitTargets(for: slice)
    try CommitTiming.measure(PendingTable(capacity: targets.count), targets, &slice)
  }
}

/// Pending pairs of a target and a selector, for a known number of them.
private final class PendingTable: PendingTargets {
  private struct Entry {
    let target: Unmanaged<CommitTarget>
    let selector: Unmanaged<Action>
  }

  private final class Action {
    let perform: (CommitTarget) -> Void

    init(_ perform: @escaping (CommitTarget) -> Void) { self.perform = perform }
  }

  private let show = Action { $0.perform() }
  // A slot has the number of an entry, and is free if that is below `epoch`. The
  // entries since then have the numbers from `epoch` to `tail`.
  private let entries: UnsafeMutablePointer<Entry>
  private let slots: UnsafeMutablePointer<UInt32>
  private let mask: UInt32
  private let shift: UInt64
  @exclusivity(unchecked) private var epoch: UInt32 = 1
  @exclusivity(unchecked) private var tail: UInt32 = 1

  init(capacity: Int) {
    // At most a quarter of the slots is used.
    let bits = UInt64(Int.bitWidth - (capacity - 1).leadingZeroBitCount) + 2
    mask = (1 << bits) - 1
    shift = 64 - bits
    entries = .allocate(capacity: capacity)
    slots = .allocate(capacity: 1 << bits)
    slots.initialize(repeating: 0, count: 1 << bits)
  }

  deinit {
    entries.deallocate()
    slots.deallocate()
  }

  func commit(_ target: CommitTarget) { insert(.passUnretained(target), .passUnretained(show)) }

  @inline(never)
  private func insert(_ target: Unmanaged<CommitTarget>, _ selector: Unmanaged<Action>) {
    let key = UInt(bitPattern: target.toOpaque()) ^ UInt(bitPattern: selector.toOpaque()) << 33
    let hash = UInt64(key ^ key >> 8) &* 0x9E37_79B9_7F4A_7C15
    var slot = UInt32(truncatingIfNeeded: hash &>> shift)
    while slots[Int(slot)] &- epoch < tail &- epoch {
      let entry = entries[Int(slots[Int(slot)] &- epoch)]
      if entry.target.toOpaque() == target.toOpaque(),
        entry.selector.toOpaque() == selector.toOpaque()
      {
        return
      }
      slot = (slot &+ 1) & mask
    }
    slots[Int(slot)] = tail
    let place = entries + Int(tail &- epoch)
    place.initialize(to: Entry(target: target.retain(), selector: selector))
    tail &+= 1
  }

  func flush() {
    for index in 0..<Int(tail &- epoch) {
      let entry = entries[index]
      entry.selector._withUnsafeGuaranteedRef { selector in
        entry.target._withUnsafeGuaranteedRef { selector.perform($0) }
      }
      entry.target.release()
    }
    epoch = tail
  }
}
