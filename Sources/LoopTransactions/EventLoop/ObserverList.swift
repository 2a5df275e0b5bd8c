/// The observers of a loop, by activity, each list in the order of its calls.
///
/// While a pass is under way the lists stand still: what is added waits for the
/// end of the pass, what is removed is only passed over. I6.
package struct ObserverList {
  private var lists = ContiguousArray<ContiguousArray<Observer>>(repeating: [], count: 4)
  private var waiting: [Observer] = []
  private var passes = 0
  private var needsSweep = false

  // The observer of an activity that has one only: most often the transactions',
  // which rests in most ticks. A look at it spares the pass.
  private var soleObservers = ContiguousArray<Unmanaged<Observer>?>(repeating: nil, count: 4)

  package init() {}

  /// Adds `observer` behind those of the same order; from the next pass on.
  package mutating func add(_ observer: Observer) {
    // Nobody would call it, or tell it that the loop is gone.
    guard !observer.activities.isDisjoint(with: .all) else { return observer.invalidate() }
    guard passes == 0 else { return waiting.append(observer) }
    for index in lists.indices where observer.activities.contains(Self.activity(index)) {
      let list = lists[index]
      let place = list.firstIndex { $0.order > observer.order } ?? list.endIndex
      lists[index].insert(observer, at: place)
    }
    updateSoleObservers()
  }

  /// Drops observers that are no longer valid once no pass is under way.
  package mutating func sweepLater() {
    needsSweep = true
    if passes == 0 { settle() }
  }

  /// Whether nobody has to be called at the activity numbered `index`.
  @inline(__always)
  package func isQuiet(_ index: Int) -> Bool {
    guard let sole = soleObservers[index] else { return lists[index].isEmpty }
    return sole._withUnsafeGuaranteedRef { $0.isDormant }
  }

  /// Whether an observer of the list numbered `index` has pending work.
  package func hasWork(_ index: Int) -> Bool { lists[index].contains { $0.isPending } }

  /// Begins a pass, in which the list numbered `index` stands still.
  package mutating func beginPass(_ index: Int) -> ContiguousArray<Observer> {
    passes += 1
    return lists[index]
  }

  /// Ends a pass; what was added or removed meanwhile takes effect.
  @inline(__always)
  package mutating func endPass() {
    passes -= 1
    if passes == 0, needsSweep || !waiting.isEmpty { settle() }
  }

  /// Whether there is no observer.
  package var isEmpty: Bool { waiting.isEmpty && lists.allSatisfy(\.isEmpty) }

  /// How many observers there are; one of several activities counts as often.
  package var count: Int { lists.reduce(waiting.count) { $0 + $1.count } }

  /// Takes every observer out; one of several activities is there as often.
  mutating func removeAll() -> [Observer] {
    defer { self = ObserverList() }
    return lists.joined() + waiting
  }

  /// Lets every observer know that its loop is gone.
  func detachAll() { for observer in lists.joined() + waiting { observer.detach() } }

  private static func activity(_ index: Int) -> EventLoop.Activity {
    EventLoop.Activity(rawValue: 1 << UInt8(index))
  }

  private mutating func updateSoleObservers() {
    for index in lists.indices {
      soleObservers[index] =
        lists[index].count == 1 ? lists[index].first.map(Unmanaged.passUnretained) : nil
    }
  }

  @inline(never)
  private mutating func settle() {
    if needsSweep {
      needsSweep = false
      for index in lists.indices { lists[index].removeAll { !$0.isAttached } }
      updateSoleObservers()
    }
    let added = waiting
    waiting = []
    for observer in added where observer.isAttached { add(observer) }
  }
}
