/// The observers of a loop: one list per activity, in the order of the calls.
///
/// The lists do not change during a pass. An observer that is added during a
/// pass waits for its end. An observer that is removed during a pass is
/// skipped. I6.
package struct ObserverList {
  private var lists = ContiguousArray<ContiguousArray<Observer>>(repeating: [], count: 4)
  private var waiting: [Observer] = []
  private var passes = 0
  private var needsSweep = false

  // For each activity with a single observer, that observer. It is usually the
  // dormant observer of the transactions, and checking it avoids the pass.
  private var soleObservers = ContiguousArray<Unmanaged<Observer>?>(repeating: nil, count: 4)

  package init() {}

  /// Adds `observer` behind the observers of the same order. It takes part from
  /// the next pass on.
  package mutating func add(_ observer: Observer) {
    // Without an activity, nothing would call the observer or detach it from a
    // released loop.
    guard !observer.activities.isDisjoint(with: .all) else { return observer.invalidate() }
    guard passes == 0 else { return waiting.append(observer) }
    for index in lists.indices where observer.activities.contains(Self.activity(index)) {
      let list = lists[index]
      let place = list.firstIndex { $0.order > observer.order } ?? list.endIndex
      lists[index].insert(observer, at: place)
    }
    updateSoleObservers()
  }

  /// Removes detached observers once no pass is running.
  package mutating func sweepLater() {
    needsSweep = true
    if passes == 0 { settle() }
  }

  /// Whether no observer needs to be called at the activity with this index.
  @inline(__always)
  package func isQuiet(_ index: Int) -> Bool {
    guard let sole = soleObservers[index] else { return lists[index].isEmpty }
    return sole._withUnsafeGuaranteedRef { $0.isDormant }
  }

  /// Whether an observer in the list at `index` has pending work.
  package func hasWork(_ index: Int) -> Bool { lists[index].contains { $0.isPending } }

  /// Begins a pass over the list at `index` and returns a snapshot of it.
  package mutating func beginPass(_ index: Int) -> ContiguousArray<Observer> {
    passes += 1
    return lists[index]
  }

  /// Ends a pass, and applies the additions and removals made during it.
  @inline(__always)
  package mutating func endPass() {
    passes -= 1
    if passes == 0, needsSweep || !waiting.isEmpty { settle() }
  }

  /// Whether there are no observers.
  package var isEmpty: Bool { waiting.isEmpty && lists.allSatisfy(\.isEmpty) }

  /// The number of observers. An observer for several activities counts once
  /// per activity.
  package var count: Int { lists.reduce(waiting.count) { $0 + $1.count } }

  /// Removes and returns all observers. An observer for several activities
  /// occurs once per activity.
  mutating func removeAll() -> [Observer] {
    defer { self = ObserverList() }
    return lists.joined() + waiting
  }

  /// Detaches all observers from the loop.
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
