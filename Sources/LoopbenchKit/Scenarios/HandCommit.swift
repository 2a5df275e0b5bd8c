private import CLoopbench

#if canImport(Glibc)
  private import Glibc
#else
  private import Darwin
#endif

/// `commit` by hand, with the same table and order as an `EventLoop`: targets of any class, in
/// commit order, each retained until its action has returned. A commit checks its thread, could be
/// cancelled, and could have a flag that is cleared when it is performed, like a kept
/// `Transaction`. A tick has a budget of actions and of time. Actions may throw, and are counted.
struct HandCommit: FullPeer {
  let name = "hand"
  let scenario = "commit"
  let isReference = true
  let isStandard = false
  let summary =
    "Swift: a hash table of (target, selector), targets in commit order, a budget; no loop: a floor"

  func measure(_ slice: inout Slice) throws(PeerError) {
    let targets = ObjectList.commitTargets(for: slice)
    try CommitTiming.measure(PendingTable(capacity: targets.count), targets, &slice)
  }
}

/// Pending pairs of a target and a selector, for a known number of them.
private final class PendingTable: PendingTargets {
  private struct Entry {
    // nil once it is removed.
    var target: Unmanaged<CommitTarget>?
    let selector: Unmanaged<Action>
    let flag: UnsafeMutablePointer<Bool>?
  }

  private final class Action {
    let perform: (CommitTarget) throws -> Void

    init(_ perform: @escaping (CommitTarget) throws -> Void) { self.perform = perform }
  }

  private let show = Action { $0.perform() }
  // A slot has the number of an entry, and is free if that is below `epoch`. The
  // entries since then have the numbers from `epoch` to `tail`.
  private let entries: UnsafeMutablePointer<Entry>
  private let slots: UnsafeMutablePointer<UInt32>
  private let capacity: UInt32
  private let mask: UInt32
  private let shift: UInt64
  @exclusivity(unchecked) private var epoch: UInt32 = 1
  // The number of the first place of `entries`.
  @exclusivity(unchecked) private var base: UInt32 = 1
  @exclusivity(unchecked) private var tail: UInt32 = 1
  @exclusivity(unchecked) private var isArmed = false
  @exclusivity(unchecked) private var performed = 0
  @exclusivity(unchecked) private var failed = 0
  private let thread = pthread_self()
  // More actions than a batch has, and more cycles than it takes.
  private var budget = (actions: 1 << 40, cycles: UInt64(1) << 40)

  init(capacity: Int) {
    // At most a quarter of the slots is used.
    let bits = UInt64(Int.bitWidth - (capacity - 1).leadingZeroBitCount) + 2
    self.capacity = UInt32(capacity)
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
  private func insert(
    _ target: Unmanaged<CommitTarget>,
    _ selector: Unmanaged<Action>,
    flag: UnsafeMutablePointer<Bool>? = nil
  ) {
    guard pthread_self() == thread else { preconditionFailure("HandCommit: another thread") }
    let key = UInt(bitPattern: target.toOpaque()) ^ UInt(bitPattern: selector.toOpaque()) << 33
    let hash = UInt64(key ^ key >> 7) &* 0x9E37_79B9_7F4A_7C15
    var slot = UInt32(truncatingIfNeeded: hash &>> shift)
    while slots[Int(slot)] &- epoch < tail &- epoch {
      let entry = entries[Int(slots[Int(slot)] &- base)]
      if entry.target?.toOpaque() == target.toOpaque(),
        entry.selector.toOpaque() == selector.toOpaque()
      {
        return
      }
      slot = (slot &+ 1) & mask
    }
    guard tail &- base < capacity else { preconditionFailure("HandCommit: the table is full") }
    slots[Int(slot)] = tail
    let place = entries + Int(tail &- base)
    place.initialize(to: Entry(target: target.retain(), selector: selector, flag: flag))
    tail &+= 1
    // The first one makes the loop perform them before it sleeps.
    if tail &- epoch == 1 { isArmed = true }
  }

  func flush() {
    guard isArmed else { return }
    isArmed = false
    let end = tail
    let prefetches = capacity > 8192
    let limit = cl_cycles() + budget.cycles
    while epoch != end {
      let place = entries + Int(epoch &- base)
      epoch &+= 1
      // Like a loop with so many targets.
      if prefetches, end &- epoch > 3 { cl_prefetch(place[4].target?.toOpaque()) }
      guard let target = place.pointee.target else { continue }
      place.pointee.target = nil
      if let flag = place.pointee.flag { flag.pointee = false }
      perform(place.pointee.selector, target)
      target.release()
      performed += 1
      // As in a loop whose actions are short, every fourth action reads the counter.
      if performed == budget.actions || (epoch & 3 == 0 && cl_cycles() > limit) {
        preconditionFailure("HandCommit: the budget is spent")
      }
    }
    if epoch == tail { base = tail } else { isArmed = true }
  }

  @inline(__always)
  private func perform(_ action: Unmanaged<Action>, _ target: Unmanaged<CommitTarget>) {
    action._withUnsafeGuaranteedRef { action in
      target._withUnsafeGuaranteedRef { target in
        do { try action.perform(target) } catch { failed += 1 }
      }
    }
  }
}
