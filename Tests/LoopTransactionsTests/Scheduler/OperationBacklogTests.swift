@testable import LoopTransactions

import LoopTransactionsTesting
import TestSupport
import Testing

/// The simplest implementation of a backlog.
private struct ReferenceBacklog {
  struct Entry {
    let number: Int
    var level: Int
    /// When the entry was moved to its level.
    var turn: Int
  }

  private(set) var entries: [Entry] = []
  private var turns = 0

  mutating func append(_ number: Int, level: Int) {
    turns += 1
    entries.append(Entry(number: number, level: level, turn: turns))
  }

  mutating func dequeueHighest() -> Int? {
    guard
      let first = entries.max(by: { ($0.level, -$0.turn) < ($1.level, -$1.turn) })
    else { return nil }
    return remove(first.number) ? first.number : nil
  }

  mutating func dequeueOldest() -> Int? {
    entries.isEmpty ? nil : entries.removeFirst().number
  }

  mutating func remove(_ number: Int) -> Bool {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return false }
    entries.remove(at: index)
    return true
  }

  mutating func move(_ number: Int, to level: Int) -> Bool {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return false }
    guard entries[index].level != level else { return true }
    turns += 1
    entries[index].level = level
    entries[index].turn = turns
    return true
  }
}

@Suite("OperationBacklog")
struct OperationBacklogTests {
  // For each operation, every cache line of its node moves between processors
  // once more.
  @Test("a node occupies exactly one cache line")
  func oneLine() { #expect(MemoryLayout<OperationNode>.stride == 64) }

  // O2, O5
  @Test("a backlog takes, moves and removes like a sorted array", arguments: [2, 5, 257])
  func likeAnArray(levels: Int) {
    var random = SeededGenerator(seed: UInt64(levels))
    var backlog = OperationBacklog()
    var reference = ReferenceBacklog()
    var handles: [OperationHandle] = []
    for step in 0..<Interposed.amount(20_000, debug: 4000, sanitized: 2000) {
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2:
        let level = Int.random(in: 0..<levels, using: &random)
        reference.append(handles.count, level: level)
        handles.append(backlog.append(OperationNode.Content.body { _ in }, level: level))
      case 3: check(backlog.dequeueHighest(), reference.dequeueHighest(), handles, &backlog, step)
      case 4: check(backlog.dequeueOldest(), reference.dequeueOldest(), handles, &backlog, step)
      case 5, 6:
        guard !handles.isEmpty else { continue }
        let number = Int.random(in: 0..<handles.count, using: &random)
        let level = Int.random(in: 0..<levels, using: &random)
        let wasMoved = backlog.move(handles[number], to: level)
        #expect(wasMoved == reference.move(number, to: level), "step \(step)")
      default:
        guard !handles.isEmpty else { continue }
        let number = Int.random(in: 0..<handles.count, using: &random)
        let isIn = reference.remove(number)
        let wasIn = backlog.remove(handles[number])
        #expect(wasIn == isIn, "step \(step)")
        if isIn { backlog.recycle(handles[number]) }
      }
      let (count, highest) = (backlog.count, backlog.highestLevel)
      #expect(count == reference.entries.count)
      #expect(highest == reference.entries.map(\.level).max())
    }
  }

  private func check(
    _ taken: OperationHandle?,
    _ expected: Int?,
    _ handles: [OperationHandle],
    _ backlog: inout OperationBacklog,
    _ step: Int
  ) {
    guard let taken, let expected else {
      #expect(taken == nil && expected == nil, "step \(step)")
      return
    }
    #expect(taken.node == handles[expected].node, "step \(step)")
    #expect(handles[expected].isCurrent, "step \(step)")
    backlog.recycle(taken)
    #expect(!handles[expected].isCurrent, "step \(step)")
  }

  // O2
  @Test("reclaimed operations start in the order in which they were added", arguments: 1...20)
  func reclaimedOrder(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var backlog = OperationBacklog()
    var (queued, taken): ([Int], [Int]) = ([], [])
    let handles = (0..<40).map { _ in
      backlog.append(OperationNode.Content.body { _ in }, level: 3)
    }
    queued = Array(handles.indices)
    // Workers take operations from the front, and stall one after the other.
    for step in 0..<200 {
      if Bool.random(using: &random), !queued.isEmpty {
        let handle = backlog.dequeueHighest()
        #expect(handle?.node == handles[queued[0]].node, "step \(step)")
        taken.append(queued.removeFirst())
      } else if let number = taken.randomElement(using: &random) {
        let isQueued = backlog.reclaim(handles[number])
        #expect(isQueued)
        taken.removeAll { $0 == number }
        queued = (queued + [number]).sorted()
      }
    }
    let order = queued.map { handles[$0].node }
    for (index, node) in order.enumerated() {
      #expect(backlog.dequeueHighest()?.node == node, "\(index)")
    }
    for handle in handles { backlog.recycle(handle) }
  }

  // O2
  @Test("an operation that was moved stays behind one that is reclaimed afterwards")
  func movedThenReclaimed() {
    var backlog = OperationBacklog()
    let moved = backlog.append(OperationNode.Content.body { _ in }, level: 9)
    let other = backlog.append(OperationNode.Content.body { _ in }, level: 3)
    let order = [backlog.dequeueHighest()?.node, backlog.dequeueHighest()?.node]
    #expect(order == [moved.node, other.node])
    let isReclaimed = backlog.reclaim(moved)
    let isMoved = backlog.move(moved, to: 3)
    let isOtherReclaimed = backlog.reclaim(other)
    #expect(isReclaimed && isMoved && isOtherReclaimed)
    let next = [backlog.dequeueHighest()?.node, backlog.dequeueHighest()?.node]
    #expect(next == [other.node, moved.node])
    for handle in [moved, other] { backlog.recycle(handle) }
  }

  // O3
  @Test("the aging slot takes reclaimed operations by turns with others, oldest first")
  func reclaimedAging() {
    var backlog = OperationBacklog()
    let handles = (0..<7).map { level in
      backlog.append(OperationNode.Content.body { _ in }, level: 7 - level)
    }
    for _ in 0..<4 { _ = backlog.dequeueHighest() }
    for index in [2, 0, 3, 1] {
      let isQueued = backlog.reclaim(handles[index])
      #expect(isQueued)
    }
    for index in [4, 0, 5, 1, 6, 2, 3] {
      #expect(backlog.dequeueOldest()?.node == handles[index].node)
    }
    for handle in handles { backlog.recycle(handle) }
  }

  @Test("a stale handle neither takes nor moves the operation that reuses its memory")
  func staleHandle() throws {
    var backlog = OperationBacklog()
    let first = backlog.append(OperationNode.Content.body { _ in }, level: 3)
    let wasIn = backlog.remove(first)
    #expect(wasIn)
    backlog.recycle(first)
    let second = backlog.append(OperationNode.Content.body { _ in }, level: 3)
    #expect(first.node == second.node)
    let takesStale = backlog.remove(first)
    let movesStale = backlog.move(first, to: 9)
    #expect(!takesStale && !movesStale)
    let (level, isIn) = (backlog.highestLevel, backlog.remove(second))
    #expect(level == 3 && isIn)
    backlog.recycle(second)
  }

  // O1
  @Test("a scheduler keeps 1 MiB after a long queue, and handles stay valid")
  func memory() {
    let scheduler = OperationScheduler.alone(workers: 1)
    var kept: [ScheduledOperation] = []
    for round in 0..<3 {
      let frozen = FrozenWorkers(scheduler, 1)
      let ran = Tally()
      let count = 40_000
      let operations = (0..<count).map { _ in scheduler.add { _ in _ = ran.increment() } }
      #expect(scheduler.core.ask { $0.backlog.retainedBytes } > count * 64)
      kept += [operations[0], operations[count - 1], operations[20_000]]
      // Handles of operations whose memory was discarded, and is used again.
      let stale = kept.dropLast(3).count { $0.cancel() || $0.setPriority(.high) || $0.isCancelled }
      #expect(stale == 0, "round \(round)")
      frozen.thaw()
      #expect(inTime { scheduler.core.ask { $0.backlog.retainedBytes } <= 1 << 20 })
      #expect(ran.value == count)
    }
  }

  // O1
  @Test("a scheduler keeps the memory of a long queue while an operation runs")
  func memoryInUse() {
    let scheduler = OperationScheduler.alone(workers: 2)
    let (began, goOn, done) = (Gate(), Gate(), Gate())
    scheduler.add { _ in
      began.open()
      goOn.wait()
    }
    #expect(began.waitInTime())
    let frozen = FrozenWorkers(scheduler, 1)
    for _ in 0..<40_000 { scheduler.add { _ in } }
    frozen.thaw()
    #expect(inTime { scheduler.metrics.awake == 1 })
    // The other worker has slept, and returned no memory before.
    scheduler.add { _ in done.open() }
    #expect(done.waitInTime())
    #expect(scheduler.core.ask { $0.backlog.retainedBytes } > 40_000 * 64)
    goOn.open()
    #expect(inTime { scheduler.core.ask { $0.backlog.retainedBytes } <= 1 << 20 })
  }
}
