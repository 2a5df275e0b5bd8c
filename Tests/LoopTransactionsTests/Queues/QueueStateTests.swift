import LoopTransactions
import TestSupport
import Testing

/// The configuration of a queue under test.
struct QueueConfiguration: Sendable, CustomTestStringConvertible {
  let isExclusive: Bool
  let isWeak: Bool
  let whenFull: QueueCapacity.WhenFull?

  /// The limit is two elements, so that short orders reach it. Nil if the queue
  /// is not limited.
  var capacity: QueueCapacity? { whenFull.map { QueueCapacity(2, whenFull: $0) } }

  var testDescription: String {
    let policy = whenFull.map { "\($0)" } ?? "unlimited"
    return "\(isWeak ? "weak" : "strong"), \(isExclusive ? "exclusive" : "shared"), \(policy)"
  }

  static let all: [QueueConfiguration] = [nil, .refuse, .dropOldest, .dropNewest].flatMap {
    policy in
    [(true, false), (true, true), (false, false), (false, true)].map {
      QueueConfiguration(isExclusive: $0.0, isWeak: $0.1, whenFull: policy)
    }
  }
}

/// One operation on a queue.
private enum Step: Equatable {
  case enqueue(Int)
  case take
  case remove(Int)
  case removeAll
  case close
  case die(Int)

  /// All steps with the elements `0..<count`.
  static func all(_ count: Int) -> [Step] {
    (0..<count).flatMap { [.enqueue($0), .remove($0), .die($0)] } + [.take, .removeAll, .close]
  }

  var element: Int? {
    switch self {
    case .enqueue(let element), .remove(let element), .die(let element): element
    case .take, .removeAll, .close: nil
    }
  }
}

/// The set of live objects among all created objects.
private final class Census {
  var living: Set<Int> = []
  var made = 0
}

private final class Citizen {
  let number: Int
  private let census: Census

  init(_ census: Census) {
    census.made += 1
    number = census.made
    census.living.insert(number)
    self.census = census
  }

  deinit { census.living.remove(number) }
}

/// The simplest implementation of a queue, on a plain array.
private struct ReferenceQueue {
  struct Entry {
    let number: Int
    let address: UInt
  }

  let configuration: QueueConfiguration
  let census: Census
  var entries: [Entry] = []
  var isDraining = false
  var isClosed = false
  var dropped = 0
  /// The last element that was examined. The examination may release the
  /// element.
  var lookahead: Int?

  private func lives(_ entry: Entry) -> Bool { census.living.contains(entry.number) }

  mutating func enqueue(_ number: Int, _ address: UInt) -> QueueState.EnqueueAction {
    lookahead = nil
    if isClosed { return .closed }
    if configuration.isExclusive, isMember(address) { return .alreadyQueued }
    if isFull, configuration.isWeak {
      dropDeadInFront()
      lookahead = entries.first?.number
    }
    if isFull, let capacity = configuration.capacity {
      switch capacity.whenFull {
      case .refuse: return .refused
      case .dropNewest:
        dropped += 1
        return .dropped
      case .dropOldest:
        dropped += 1
        entries.append(Entry(number: number, address: address))
        return .replaced(entries.removeFirst().address, box: 0)
      }
    }
    entries.append(Entry(number: number, address: address))
    defer { isDraining = true }
    return .queued(wakes: !isDraining)
  }

  private var isFull: Bool { configuration.capacity.map { entries.count >= $0.limit } ?? false }

  /// Returns true if a live object at `address` is queued. Removes the entry of
  /// a dead object at that address.
  private mutating func isMember(_ address: UInt) -> Bool {
    guard let index = entries.firstIndex(where: { $0.address == address }) else { return false }
    if lives(entries[index]) { return true }
    entries.remove(at: index)
    return false
  }

  mutating func remove(_ address: UInt) -> Bool {
    if configuration.isExclusive, !isMember(address) { return false }
    guard let index = entries.firstIndex(where: { $0.address == address && lives($0) })
    else { return false }
    entries.remove(at: index)
    return true
  }

  mutating func take() -> (number: Int, isLast: Bool, lookahead: Int?)? {
    dropDeadInFront()
    guard !entries.isEmpty else { return nil }
    let number = entries.removeFirst().number
    if configuration.isWeak { dropDeadInFront() }
    let isLast = entries.isEmpty
    if isLast { isDraining = false }
    return (number, isLast, configuration.isWeak ? entries.first?.number : nil)
  }

  private mutating func dropDeadInFront() {
    while let first = entries.first, !lives(first) { entries.removeFirst() }
  }

  mutating func endDrain() -> QueueState.EndAction {
    guard entries.isEmpty else { return .waiting }
    defer { isDraining = false }
    return isDraining ? .drained : .none
  }

  mutating func removeAll() -> Int {
    defer { entries = [] }
    return entries.count { lives($0) }
  }
}

/// A queue's state and its reference. Each step is applied to both.
private struct ComparedQueue: ~Copyable {
  private var state: QueueState
  private var reference: ReferenceQueue
  private let census = Census()
  private var elements: [Citizen?]

  init(_ configuration: QueueConfiguration, elements count: Int) {
    state = QueueState(
      isExclusive: configuration.isExclusive,
      isWeak: configuration.isWeak,
      capacity: configuration.capacity
    )
    reference = ReferenceQueue(configuration: configuration, census: census)
    elements = Array(repeating: nil, count: count)
  }

  /// Applies `step`. Returns a description of the difference afterwards, or
  /// nil.
  mutating func differenceAfter(_ step: Step) -> String? {
    let difference =
      switch step {
      case .enqueue(let index): enqueue(element(index))
      case .take: take()
      case .remove(let index): remove(element(index))
      case .removeAll: removeAll()
      case .close: close()
      case .die(let index): die(index)
      }
    if let difference { return difference }
    if state.count != reference.entries.count { return "\(state.count) elements" }
    if state.isDraining != reference.isDraining { return "draining: \(state.isDraining)" }
    if state.droppedCount != reference.dropped { return "\(state.droppedCount) dropped" }
    if state.isClosed != reference.isClosed { return "closed: \(state.isClosed)" }
    return nil
  }

  /// Empties the queue and releases the elements. Returns a description of the
  /// elements that are still alive, or nil.
  mutating func leak() -> String? {
    _ = removeAll()
    state.free()
    elements = []
    return census.living.isEmpty ? nil : "\(census.living.sorted()) leaked"
  }

  private mutating func element(_ index: Int) -> Citizen {
    if let element = elements[index] { return element }
    let element = Citizen(census)
    elements[index] = element
    return element
  }

  private static func address(_ element: Citizen) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(element).toOpaque())
  }

  private mutating func enqueue(_ element: Citizen) -> String? {
    let expected = reference.enqueue(element.number, Self.address(element))
    var lookahead: AnyObject?
    let action = state.enqueue(element, lookahead: &lookahead)
    let seen = (lookahead as? Citizen)?.number
    if seen != reference.lookahead { return "looked at \(seen ?? 0)" }
    guard case .replaced(let address, let box) = action else {
      return action == expected ? nil : "\(action) in place of \(expected)"
    }
    _ = QueueState.claim(address, box: box)
    return .replaced(address, box: 0) == expected ? nil : "\(action) in place of \(expected)"
  }

  private mutating func take() -> String? {
    let expected = reference.take()
    let taken = state.dequeue(before: state.mark)
    let (number, lookahead) = (
      (taken?.object as? Citizen)?.number, (taken?.lookahead as? Citizen)?.number
    )
    if number != expected?.number { return "took \(number ?? 0), not \(expected?.number ?? 0)" }
    if taken?.isLast != expected?.isLast { return "took \(number ?? 0) with the wrong isLast" }
    if lookahead != expected?.lookahead { return "looked at \(lookahead ?? 0)" }
    guard taken == nil else { return nil }
    let (end, expectedEnd) = (state.endDrain(), reference.endDrain())
    return end == expectedEnd ? nil : "\(end) in place of \(expectedEnd)"
  }

  private mutating func remove(_ element: Citizen) -> String? {
    let expected = reference.remove(Self.address(element))
    let removed = state.remove(element)
    if (removed != nil) != expected { return "removed: \(removed != nil)" }
    return (removed === element) == expected ? nil : "removed another"
  }

  private mutating func removeAll() -> String? {
    let expected = reference.removeAll()
    var all = state.removeAll()
    let removed = all.drop()
    return removed == expected ? nil : "\(removed) removed in place of \(expected)"
  }

  private mutating func close() -> String? {
    reference.isClosed = true
    state.close()
    return nil
  }

  private mutating func die(_ index: Int) -> String? {
    elements[index] = nil
    return nil
  }
}

@Suite("QueueState")
struct QueueStateTests {
  /// Calls `body` with every order of `length` steps on up to `count` elements.
  private static func everyOrder(
    of length: Int,
    elements count: Int,
    _ body: ([Step]) -> Bool
  ) {
    func extend(_ order: [Step], _ known: Int) -> Bool {
      guard order.count < length else { return body(order) }
      for step in Step.all(min(known + 1, count)) {
        // The numbers are the only difference between elements, so it is enough
        // to try the next number for a new element.
        let isNew = step.element == known
        if isNew, case .enqueue = step {} else if isNew { continue }
        if !extend(order + [step], isNew ? known + 1 : known) { return false }
      }
      return true
    }
    _ = extend([], 0)
  }

  private static func difference(_ configuration: QueueConfiguration, _ order: [Step]) -> String? {
    var compared = ComparedQueue(configuration, elements: 3)
    for (index, step) in order.enumerated() {
      if let difference = compared.differenceAfter(step) {
        return "\(difference) after \(order[...index])"
      }
    }
    return compared.leak().map { "\($0) after \(order)" }
  }

  // Q2, Q3, Q5, Q6, Q8
  @Test(
    "every order of steps with two or three elements has the same effects as on a plain array",
    arguments: QueueConfiguration.all
  )
  func everyOrder(configuration: QueueConfiguration) {
    var orders = 0
    // Slow builds try orders that are one step shorter. A sanitizer finds
    // little here, because a single thread uses only the queue's own memory.
    let cut = Interposed.amount(0, debug: 1, sanitized: 1)
    for (length, elements) in [(6 - cut, 2), (5 - cut, 3)] {
      Self.everyOrder(of: length, elements: elements) { order in
        orders += 1
        guard let difference = Self.difference(configuration, order) else { return true }
        Issue.record("\(difference)")
        return false
      }
    }
    #expect(orders > Interposed.amount(30_000, debug: 3000, sanitized: 3000))
  }
}
