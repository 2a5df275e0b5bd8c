import LoopTransactions
import LoopTransactionsTesting
import Testing

private final class Node: DeadlineNode {
  var heapIndex = -1
  let deadline: UInt64
  let turn: Int

  init(at deadline: UInt64, turn: Int) {
    self.deadline = deadline
    self.turn = turn
  }

  func precedes(_ other: Node) -> Bool { (deadline, turn) < (other.deadline, other.turn) }
}

/// A heap and its reference, a sorted array. Each step is applied to both, and
/// each difference is recorded as an issue.
private struct ComparedHeap: ~Copyable {
  private var heap = DeadlineHeap<Node>()
  private var sorted: [Node] = []
  private var waiting: [Node] = []
  private var isInPass = false
  private var turn = 0
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  deinit {
    var heap = heap
    heap.free()
  }

  mutating func step() {
    switch Int.random(in: 0..<1000, using: &random) {
    case 0..<450: add()
    case 450..<750: removeAny()
    case 750..<900: removeFirst()
    case 900..<950: beginPass()
    case 950..<990: endPass()
    case 990..<995: for _ in 0..<500 { add() }
    default: drain()
    }
    check()
  }

  private mutating func add() {
    // Few deadlines, so that many are equal.
    let node = Node(at: .random(in: 0..<40, using: &random), turn: turn)
    turn += 1
    let isFirst = heap.add(node, at: node.deadline)
    if isInPass {
      waiting.append(node)
      #expect(!isFirst)
    } else {
      insert(node)
      #expect(isFirst == (sorted.first === node))
    }
  }

  private mutating func insert(_ node: Node) {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle].precedes(node) { low = middle + 1 } else { high = middle }
    }
    sorted.insert(node, at: low)
  }

  private mutating func removeAny() {
    let number = sorted.count + waiting.count
    guard number > 0 else { return }
    let index = Int.random(in: 0..<number, using: &random)
    let isFirst = index == 0 && !sorted.isEmpty
    let node =
      index < sorted.count ? sorted.remove(at: index) : waiting.remove(at: index - sorted.count)
    let wasAtFront = heap.remove(node)
    // Behind an empty heap, an element that waits may be at the front, too.
    if !sorted.isEmpty || isFirst { #expect(wasAtFront == isFirst) }
    #expect(node.heapIndex == -1)
  }

  private mutating func removeFirst() {
    let time = UInt64.random(in: 0..<40, using: &random)
    let expected = sorted.first.flatMap { $0.deadline <= time ? $0 : nil }
    let removed = heap.removeFirst(dueAt: time)
    #expect(removed === expected)
    if expected != nil { sorted.removeFirst() }
    if let removed { #expect(removed.heapIndex == -1) }
  }

  private mutating func beginPass() {
    heap.beginPass()
    isInPass = true
  }

  private mutating func endPass() {
    heap.endPass()
    isInPass = false
    for node in waiting { insert(node) }
    waiting = []
  }

  private mutating func drain() {
    while let removed = heap.removeFirst(dueAt: .max) {
      #expect(removed === sorted.first)
      sorted.removeFirst()
    }
    #expect(sorted.isEmpty)
  }

  private func check() {
    let nodes = sorted + waiting
    #expect(heap.count == nodes.count)
    #expect(heap.firstDeadline == sorted.first?.deadline)
    #expect(heap.isInPass == isInPass)
    // Each element has a position of its own, and those in the heap come first.
    #expect(Set(nodes.map(\.heapIndex)) == Set(nodes.indices))
    #expect(sorted.allSatisfy { $0.heapIndex < sorted.count })
    #expect(heap.capacity <= max(64, 4 * nodes.count + 4))
  }
}

// A heap does not retain its elements, so each test keeps them alive.
@Suite("DeadlineHeap")
struct DeadlineHeapTests {
  @Test("any sequence of changes gives the results of a sorted array", arguments: UInt64(1)...8)
  func model(seed: UInt64) {  // L10
    var compared = ComparedHeap(seed: seed)
    for _ in 0..<1500 { compared.step() }
  }

  @Test("elements with equal deadlines are removed in the order added")  // L10
  func ties() {
    var heap = DeadlineHeap<Node>()
    let nodes = (0..<1000).map { Node(at: 7, turn: $0) }
    for node in nodes { #expect(heap.add(node, at: 7) == (node.turn == 0)) }
    // Removing others must not reorder the rest.
    for node in nodes where node.turn % 3 == 0 { _ = heap.remove(node) }
    var turns: [Int] = []
    while let node = heap.removeFirst(dueAt: 7) { turns.append(node.turn) }
    #expect(turns == (0..<1000).filter { $0 % 3 != 0 })
    heap.free()
    withExtendedLifetime(nodes) {}
  }

  @Test("a pass ends even if each element adds another that is already due")  // L10
  func passes() {
    var heap = DeadlineHeap<Node>()
    var kept = (0..<10).map { Node(at: 5, turn: $0) }
    for node in kept { _ = heap.add(node, at: 5) }
    heap.beginPass()
    var removed = 0
    while heap.removeFirst(dueAt: 9) != nil {
      removed += 1
      kept.append(Node(at: 1, turn: kept.count))
      _ = heap.add(kept[kept.count - 1], at: 1)
    }
    #expect(removed == 10)
    #expect(heap.firstDeadline == nil)
    heap.endPass()
    #expect(heap.count == 10)
    #expect(heap.firstDeadline == 1)
    heap.free()
    withExtendedLifetime(kept) {}
  }

  @Test("the memory of a burst is released, and an empty heap allocates nothing")  // L10
  func memory() {
    var heap = DeadlineHeap<Node>()
    #expect(heap.capacity == 0)
    let nodes = (0..<10_000).map { Node(at: UInt64($0 * 7919 % 10_000), turn: $0) }
    for node in nodes { _ = heap.add(node, at: node.deadline) }
    #expect(heap.capacity >= 10_000)
    for node in nodes { _ = heap.remove(node) }
    #expect(heap.capacity == 64)
    heap.free()
    #expect(heap.capacity == 0)
    withExtendedLifetime(nodes) {}
  }
}
